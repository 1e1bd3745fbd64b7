import { termsOf } from './term-vectors.ts'

/** Longer queries are sentences whose first words are sufficient. */
const MAX_TERMS = 16
const ACCENTS = /[\u0300-\u036f]/g

/** Stop words of questions, which are independent of the subject, in the most frequent languages of pages. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an and any are as at be been being by can could did do does for from had has have how i if in into is it ' +
    'its me my of on or our please should show tell than that the their them there these they this those to us was we ' +
    'were what when where which who whom whose why will with would you your ' +
    'aber als am auch auf aus bei bin bist das dass dem den der des die doch du durch ein eine einem einen einer eines er ' +
    'es für hat haben ich ihr im ist kann man mein mit nach nicht oder sich sie sind über um und von vom vor wann warum was ' +
    'welche welcher welches wem wen wenn wer werden wie wir wird wo zu zum zur ' +
    'au aux avec ce ces cette comment dans de du elle en est et il ils je la le les leur lui mais ne nous ou où par pas ' +
    'pour pourquoi quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une vous ' +
    'al como cómo con cual cuál cuando cuándo de del donde dónde el ella en es esta este la las lo los más no o para pero ' +
    'por porque qué que quien quién se ser si sin son su sus un una y ' +
    'alla che chi come con cosa cui da dal dei del della di dove e gli il in la le lo nel non per perché quale quando ' +
    'quanto se si sono su sul un una'
  ).split(' '),
)

/** The words of a text in the form of the page index: lower case, without accents and endings. */
export function indexTermsOf(text: string): string[] {
  return termsOf(text.normalize('NFD').replace(ACCENTS, ''))
}

/** The terms of a text without stop words, each once. */
export function contentTermsOf(text: string): string[] {
  const words = text.split(/[\s"'’?!.,;:()]+/)
  const telling = words.filter((word) => !QUESTION_WORDS.has(word.toLowerCase()))
  return [...new Set(indexTermsOf(telling.join(' ')))]
}

/** The terms of a query, each once; stop words only if there is nothing else. */
export function queryTermsOf(query: string): string[] {
  const terms = new Set(contentTermsOf(query))
  const found = terms.size > 0 ? terms : new Set(indexTermsOf(query))
  return [...found].slice(0, MAX_TERMS)
}

/**
 * Strips the ending of a plural or a verb from a term, so that "fees" matches "fee", and "causes" matches "caused".
 * The index already stems longer words.
 */
export function stemOf(term: string): string {
  const single = /^.{2,}[^s]s$/.test(term) ? term.slice(0, -1) : term
  return single.replace(/^([a-z]{3,}?)(?:ing|ed|e)$/, '$1')
}
