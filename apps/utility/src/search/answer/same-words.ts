import { contentTermsOf, indexTermsOf, stemOf } from '@tollbook/flow/text/index-terms'

/** Words that say the same in a question and in its answer. */
const GROUPS: readonly string[] = [
  'write writes wrote written writer author authored compose composed composer pen penned',
  'sing sang sung singer sings perform performed performs performer record recorded',
  'begin began begun start started',
  'end ended finish finished conclude concluded',
  'die died dies death dead gestorben',
  'born birth birthday geboren',
  'founded founder establish established create created creator',
  'invent invented inventor invention develop developed developer design designed designer',
  'make made makes manufacture manufactured manufacturer produce produced producer build built construct constructed',
  'win won winner wins beat defeat defeated champion',
  'play played plays portray portrayed portrays star stars starred voice voiced',
  'direct directed director',
  'kill killed murder murdered assassinate assassinated shot',
  'buy bought acquire acquired purchase purchased own owned owner',
  'lead led leader rule ruled govern governed',
  'paint painted painter drew drawn draw illustrate illustrated illustrator',
  'marry married wife husband spouse',
  'release released launch launched premiere premiered publish published',
  'happen happened occur occurred',
  'discover discovered discoverer',
  'safe unsafe safely recommend recommended advise advised harm harmful danger dangerous',
  'movie film',
  'tv television',
  'country nation',
  'car automobile',
  'big large',
  'biggest largest',
  'one 1 i',
  'two 2 ii',
  'three 3 iii',
  'four 4 iv',
  'five 5',
  'six 6',
  'seven 7',
  'eight 8 viii',
  'nine 9',
  'ten 10',
]

const FORMS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((line) => {
    const forms = indexTermsOf(line).map(stemOf)
    return forms.map((form): [string, string] => [form, forms[0] ?? form])
  }),
)

/** The words of a text, in order, each in the form that stands for all words that say the same. */
export function formsOf(text: string): string[] {
  return indexTermsOf(text).map(formOf)
}

/** Stop words of other languages that are none in English. */
const NO_STOP_WORD = /\b(?:man|son|non)\b/giu
const STOP_WORD = /\b(?:during|there|ever|really|exactly|someone)\b/giu

/** Those of its words that are no stop words, each once. An accent, which forms do not have, hides a word from the list. */
export function contentFormsOf(text: string): string[] {
  const shown = text.replaceAll(STOP_WORD, ' ').replaceAll(NO_STOP_WORD, '$&\u{301}')
  return [...new Set(contentTermsOf(shown).map(formOf))]
}

function formOf(term: string): string {
  // Not the past of `find`, but `founded` is wanted.
  if (term === 'found') return 'find'
  const stem = stemOf(term)
  return FORMS.get(stem) ?? stem
}

/** The sentence without the words of the question, so that its own year or name is no answer. */
export function withoutTerms(sentence: string, focus: string): string {
  const known = new Set(formsOf(focus))
  return sentence.replaceAll(/[\p{L}\p{N}]+/gu, (word) =>
    formsOf(word).some((form) => known.has(form)) ? '_' : word,
  )
}
