import { sentenceWordsOf } from '@tollbook/extract/summary/sentence-words'
import { DATE } from './has-date.ts'
import { formsOf } from './same-words.ts'

const CAPITAL = /^["“„'‘(]*\p{Lu}/u
/** Before a name that is not who did it: `in the United States established`. */
const PLACED = /^(?:in|of|at|from|to|for|on|and)$/
/** Between the one who did it and the verb. */
const BETWEEN = /^(?:first|also|has|had|originally|who|he|she|have)$/

/** Whether a name that the question does not have is next to the verb: `sung by Ann Lee`, `Ann Lee sang`. */
export function hasAgent(focus: string, sentence: string): boolean {
  const wanted = focus.split(/\s+/)
  const verbs = new Set(formsOf((focus.endsWith(' by') ? wanted.slice(-2) : wanted.slice(0, 1)).join(' ')))
  const known = new Set(formsOf(focus))
  const words = sentence.replaceAll(/,[^,]{1,60},(?= \p{Ll})/gu, '').split(/\s+/)
  const isName = (word = '') =>
    CAPITAL.test(word) && !DATE.test(word) && !formsOf(word).some((form) => known.has(form))
  return words.some((word, at) => {
    if (!formsOf(word).some((form) => verbs.has(form)) || words[at + 1] === 'of') return false
    const by = words.indexOf('by', at)
    if (by > 0 && by - at <= 5 && words.slice(by + 1, by + 8).some(isName)) return true
    let end = at - 1
    while (BETWEEN.test(words[end] ?? '')) end -= 1
    let start = end
    while (isName(words[start - 1])) start -= 1
    const before = words.slice(Math.max(0, start - 2), start).filter((one) => one !== 'the')
    const [first = ''] = words.slice(start)
    return (
      isName(words[end]) &&
      !/[,;.:]$/.test(words[end] ?? '') &&
      !(start === end && sentenceWordsOf('en').starters.has(first.toLowerCase())) &&
      !PLACED.test(before.at(-1) ?? '')
    )
  })
}
