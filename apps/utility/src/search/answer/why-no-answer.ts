import { type QuestionKind, readQuestion } from './read-question.ts'

const REASONS: Readonly<Record<QuestionKind, string>> = {
  time: 'No sentence of the results says when.',
  count: 'No sentence of the results has the number.',
  place: 'No sentence of the results says where.',
  reason: 'No sentence of the results says why.',
  person: 'No sentence of the results says who.',
  definition: 'No sentence of the results says what it is.',
  property: 'No sentence of the results says it.',
  choice: 'No sentence of the results says whether it is so.',
  other: 'Questions of this kind are not answered by a quotation.',
  words: 'No sentence of the results has enough words of the query.',
}

/** Why a query has results and no quoted answer, for its reader. */
export function whyNoAnswer(query: string): string {
  return `${REASONS[readQuestion(query).kind]} Read the passages of the results.`
}
