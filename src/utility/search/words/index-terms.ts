import { termsOf } from '../../../engines/summary/term-vectors.ts'
import { QUESTION_WORDS } from './question-words.ts'

/** Longer queries are sentences whose first words are sufficient. */
const MAX_TERMS = 16
const ACCENTS = /[\u0300-\u036f]/g

/** The words of a text in the form of the page index: lower case, without accents and endings. */
export function indexTermsOf(text: string): string[] {
  return termsOf(text.normalize('NFD').replace(ACCENTS, ''))
}

/** The terms of a query, each once; stop words only if there is nothing else. */
export function queryTermsOf(query: string): string[] {
  const words = query.split(/[\s"'’?!.,;:()]+/)
  const telling = words.filter((word) => !QUESTION_WORDS.has(word.toLowerCase()))
  const terms = new Set(indexTermsOf(telling.join(' ')))
  const found = terms.size > 0 ? terms : new Set(indexTermsOf(query))
  return [...found].slice(0, MAX_TERMS)
}
