import { contentTermsOf, indexTermsOf, stemOf } from '../../../engines/summary/index-terms.ts'
import { sentenceWordsOf } from '../../../engines/summary/sentence-words.ts'
import type { Question } from './read-question.ts'

const YEAR =
  /(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d.,]*\d)|\b\d{1,4} (?:BC|AD|BCE|CE)\b|\b\d{1,2}(?:st|nd|rd|th)(?: or \d{1,2}(?:st|nd|rd|th))? century\b/
const DATE =
  /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b\d{1,2}:\d{2}\b|\b(?:midnight|noon|spring|summer|autumn|winter)\b/
const NUMBER =
  /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|billions?|once|twice|daily|weekly|monthly|yearly|half|every|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b/i
const PLACE =
  /\b(?:in|at|on|near|off|from|of|to|between|across|inside|within|through|bei|aus|am|im|nach)\b(?: (?:the|a|an|der|die|das|den|dem))?(?: \p{Ll}+){0,3} \p{Lu}/u
const REASON =
  /\b(?:because|due to|owing to|caused?|causes|since|so that|in order to|as a result|results? (?:from|in)|therefore|leads? to|led to|thanks to|reasons?|why|weil|wegen|denn|aufgrund|deshalb|darum|damit)\b/i
/** A form of to be or a word for it, that a description follows rather than a participle. */
const COPULA =
  /\b(?:(?:is|are|was|were)(?: (?:\p{L}+ly|also|often|sometimes|most)(?! \p{L}+(?:ed|en)\b))?(?: (?:a|an|the|one|any|some|any of|two|three|four|those|that|when|where)\b| (?!(?:\p{L}+ly )?\p{L}+(?:ed|en)\b|\p{L}+ by\b)\p{L})|refers? to|means?|describes?|denotes?|stands? for|defined as|ist|sind|war|waren|bezeichnet)/u

/** A sentence, the title of its page and how much of the question is in the sentence alone and with the title, 0 to 1. */
export type Candidate = {
  readonly text: string
  readonly title: string
  readonly own: number
  readonly covered: number
}

/**
 * Whether a sentence answers a question of its kind: with a date for when, a number of what is counted, a name next to
 * the verb for who, a subject that is the one of the question for what is. Tuned on the questions `dev` of WikiQA
 * (`npm run quality -- --only answers`), for precision: most sentences that share all words with a question do not
 * answer it.
 */
export function answersQuestion(question: Question, { text, title, own, covered }: Candidate): boolean {
  const { kind, focus } = question
  switch (kind) {
    case 'time':
      if (BIRTH_OR_DEATH.test(focus)) return isLifeOf(focus, text)
      return covered >= ALL && own >= 0.6 && (YEAR.test(withoutTerms(text, focus)) || DATE.test(text))
    case 'count':
      return (
        hasCount(question, text) && (question.counted === null ? own >= MOST && covered >= ALL : own >= ALL)
      )
    case 'place':
      return isPlaceOf(question, text)
    case 'reason':
      return covered >= ALL && own >= MOST && REASON.test(text)
    case 'person':
      return covered >= ALL && own >= 0.6 && hasAgent(focus, text)
    case 'property':
      return hasProperty(focus, text) && isDefinition(focus, text, title)
    case 'definition':
      if (question.aspect === 'stand' && !/\bstands? for\b|\bacronym\b|\babbreviat|\bshort for\b/.test(text))
        return false
      return isDefinition(focus, text, title)
    case 'choice':
      return own >= 0.45 && startsAlike(focus, text)
    case 'other':
      return false
    case 'words':
      return covered >= MOST
    default:
      return kind satisfies never
  }
}

const ALL = 0.99
const MOST = 0.7
const BIRTH_OR_DEATH = /\b(?:born|birthday|die|died|dead|pass away|geboren|gestorben)$/

/** Negations, which turn a statement around and must not be left out. */
const NEGATION =
  /\b(?:not|never|no|none|nor|neither|without|cannot|avoid(?:ed)?|unsafe|unlikely|nicht|nie|niemals|kein(?:e[rsmn]?)?|ohne|vermeiden|jamais|aucune?|sans|nunca|ningún|ninguna|jamás|mai|nessun[oa]?|senza)\b|n['’]t\b|\bne\b.{1,30}\bpas\b/iu

/** Whether a statement is negated, apart from titles and quotations. */
export function isNegated(sentence: string): boolean {
  return NEGATION.test(sentence.replaceAll(/"[^"]*"|“[^”]*”|„[^“]*“/g, ' '))
}

/** What a measure is given in. */
const LENGTH =
  /\d\s?(?:m|km|cm|mm|ft|in|mi|metres?|meters?|kilometres?|kilometers?|feet|foot|inch(?:es)?|miles?|yards?|Meter|Kilometer)\b|\d['′]/
const DURATION =
  /(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|half an?))[\s-](?:to \w+ )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|centur(?:y|ies)|Sekunden|Minuten|Stunden|Tage|Wochen|Monate|Jahre)\b/
const MEASURES: Readonly<Record<string, RegExp>> = {
  tall: LENGTH,
  high: LENGTH,
  far: LENGTH,
  deep: LENGTH,
  wide: LENGTH,
  long: new RegExp(`${LENGTH.source}|${DURATION.source}`),
  old: new RegExp(`${DURATION.source}|\\b(?:aged|age of) \\d|\\bborn\\b`),
  fast: /\d\s?(?:km\/h|mph|m\/s|knots|miles|kilomet)/,
  heavy: /\d\s?(?:kg|g|lbs?|pounds|tons?|tonnes?|grams?|kilograms?)\b/,
  hot: /\d\s?(?:°|degrees|K\b)/,
  cold: /\d\s?(?:°|degrees|K\b)/,
  often: /\b(?:every|times|once|twice|daily|weekly|monthly|yearly|annually|hourly)\b/,
  much: /[$€£¥]\s?\d|\d\s?(?:%|percent|[$€£]|dollars|euros|pounds|cents?|kg|g|mg|l|ml|litres?|liters?|tons?|tonnes|grams?|million|billion)\b/,
}

function hasCount({ aspect, counted, focus }: Question, sentence: string): boolean {
  const rest = withoutTerms(sentence, focus)
  if (counted === null)
    return (MEASURES[aspect ?? ''] ?? NUMBER).test(rest.replaceAll(new RegExp(YEAR, 'g'), ''))
  // The number stands before what is counted: "168 lives", "eight associate justices".
  const words = rest.split(/\s+/)
  const stems = new Set(indexTermsOf(counted).map(stemOf))
  return sentence.split(/\s+/).some((word, at, all) => {
    if (!indexTermsOf(word).some((term) => stems.has(stemOf(term)))) return false
    const near = all.slice(Math.max(0, at - 3), at)
    // "2 mm pin" counts no pins.
    if (near.some((before) => /^(?:mm|cm|m|km|kg|g|%|percent|bit|inch|volts?)$/i.test(before))) return false
    return near.some((before) => NUMBER.test(before) && words.includes(before))
  })
}

/** The sentence without the words of the question, so that its own year or name is no answer. */
function withoutTerms(sentence: string, focus: string): string {
  const known = new Set(focus.split(/[^\p{L}\p{N}]+/u).map((word) => word.toLowerCase()))
  return sentence.replaceAll(/[\p{L}\p{N}]+/gu, (word) => (known.has(word.toLowerCase()) ? '' : word))
}

/** Questions that end with a preposition or a verb ask for what comes after it. */
function hasProperty(focus: string, sentence: string): boolean {
  if (/^(?:about|like|on|in|at|by|for|from|with) /.test(focus)) return false
  if (/ (?:about|like|on|in|to|at|between|for|called|named|known for|known as)$/.test(focus)) {
    const [, verb] = / (used|known|made|named|responsible) (?:for|as|of|from|after)$/.exec(focus) ?? []
    return verb !== undefined && sentence.includes(verb)
  }
  return true
}

/** Verbs that say the same of a work or a thing. */
const ACTS: readonly (readonly string[])[] = [
  'sing sang sung perform record',
  'write wrote written writer author compose pen',
  'make made manufactur produc build built construct',
  'found establish start creat form',
  'invent develop design creat',
  'discover',
  'play portray star act voic',
  'direct film',
  'own bought buy acquir purchas',
  'win won beat defeat champion',
  'paint drew draw illustrat',
  'kill shot murder assassinat',
  'lead led rul govern head',
].map((line) => line.split(' '))

/** Whether a name that the question does not have stands next to the verb: `sung by Ann Lee`, `Ann Lee sang`. */
function hasAgent(focus: string, sentence: string): boolean {
  const verbs = focus.split(/\s+/).slice(0, 3)
  const acts = ACTS.filter((group) => verbs.some((verb) => group.some((act) => verb.startsWith(act)))).flat()
  const past = verbs.filter((verb) => /^\p{L}{4,}ed$/u.test(verb)).map((verb) => verb.slice(0, -2))
  const stems = [...acts, ...past]
  if (stems.length === 0) return false
  const act = `(?:${stems
    .map((stem) => stem.replaceAll(/[^\p{L}]/gu, ''))
    .filter(Boolean)
    .join('|')})(?:p?ed|en|n|t|d|ing|s)?(?!\\p{L})`
  const name = "\\p{Lu}[\\p{L}.'’-]+(?: (?:\\p{Lu}[\\p{L}.'’-]*|de|van|von|of|the|and))*"
  const rest = withoutTerms(sentence, focus.split(/\s+/).slice(1).join(' '))
  const passive = new RegExp(
    `(?<!\\p{L})${act} (?:[\\p{L}\\d]+ ){0,3}by (?:\\p{Ll}+[ -]?){0,6}(${name})`,
    'u',
  )
  const active = new RegExp(
    `(${name})(?:,[^,]{1,60},)?(?: (?:first|also|has|had|originally|who|he|she))? ${act}`,
    'u',
  )
  if (passive.test(rest)) return true
  const agent = active.exec(rest)?.[1]
  return agent !== undefined && !sentenceWordsOf('en').starters.has(agent.toLowerCase())
}

/** Whether the subject before the first form of to be is what the question is about. */
function isDefinition(focus: string, sentence: string, title = ''): boolean {
  const plain = sentence.replaceAll(/\([^()]*\)/g, ' ')
  const at = plain.search(COPULA)
  if (at < 0 || !/[.!。…]["'”’»)]*(?: ?\[\d+\])*$/.test(sentence.trim())) return false
  const before = new Set(stemsOf(plain.slice(0, at)))
  // The title of the page counts for its subject, if the sentence begins like it.
  const named = stemsOf(title)
  if (named.length > 0 && named.some((term) => before.has(term))) for (const term of named) before.add(term)
  const wanted = stemsOf(focus.replace(/^(?:a|an|the|der|die|das|ein|eine) /, ''))
  if (!(wanted.length > 0 && wanted.every((term) => before.has(term)) && before.size <= wanted.length + 6))
    return false
  // "The history of jazz is" says nothing about jazz itself.
  const [head] = / of /.test(plain.slice(0, at))
    ? stemsOf(plain.slice(0, plain.indexOf(' of '))).slice(-1)
    : []
  return head === undefined || wanted.includes(head)
}

/** What says the same as the verb of a question for a place. */
const PLACE_WORDS: Readonly<Record<string, RegExp>> = {
  live: /\b(?:liv|inhabit|habitat|native|found|reside|dwell)/,
  from: /\b(?:from|born in|native|grew up|originat|deriv)|\p{Lu}\p{L}+(?:an|ish|ese) /u,
  found: /\b(?:found|native|occurs?|discovered)/,
  grow: /\b(?:grow|native|cultivat)/,
  come: /\b(?:from|native|originat|deriv)/,
}

/** Whether a sentence says of the subject of the question, before its verb, in which place it is. */
function isPlaceOf({ focus, aspect }: Question, sentence: string): boolean {
  const subject = focus
    .replace(/^ ?(?:is|are|was|were|do|does|did|ist|sind|war|liegt|kommt) /, '')
    .replace(new RegExp(` (?:located|situated|at|in|${aspect ?? 'located'})$`), '')
    .trim()
  const plain = sentence.replaceAll(/\([^()]*\)/g, ' ')
  const verb =
    /\b(?:is|are|was|were|lies|stands|lived?|inhabits?|takes place|took place|ist|liegt|befindet)\b/u.exec(
      plain,
    )
  if (!verb) return false
  const before = new Set(stemsOf(plain.slice(0, verb.index)))
  const wanted = stemsOf(subject)
  const isSubject =
    wanted.length > 0 && wanted.every((term) => before.has(term)) && before.size <= wanted.length + 5
  const rest = plain.slice(verb.index)
  const said =
    aspect === null ? null : (PLACE_WORDS[aspect.replace(/(?:s| from|d)$/, '')] ?? new RegExp(`\\b${aspect}`))
  return isSubject && PLACE.test(withoutTerms(rest, subject)) && (said === null || said.test(rest))
}

/** Whether a sentence has the dates of a life after the name: `Ann Lee (1 May 1901 – 2 June 1980)`. */
function isLifeOf(focus: string, sentence: string): boolean {
  const name = stemsOf(focus.replace(/^ ?(?:was|is|did|wurde|ist|were) /, '').replace(BIRTH_OR_DEATH, ''))
  const head = /^[^()]{2,80}\(/u.exec(sentence)?.[0] ?? sentence.slice(0, 60)
  const before = stemsOf(head)
  if (name.length === 0 || !name.every((term) => before.includes(term))) return false
  const years = sentence.match(/(?<!\d)(?:1\d{3}|20\d{2})(?!\d)/g) ?? []
  return /\b(?:born|birthday|geboren)$/.test(focus)
    ? years.length >= 1 && /\(|born|geboren/.test(sentence)
    : years.length >= 2 && /[–-]|died|gestorben/.test(sentence)
}

/** Whether the first content word of a question is among the first of a sentence. */
function startsAlike(focus: string, sentence: string): boolean {
  const [subject] = contentTermsOf(focus).map(stemOf)
  return subject !== undefined && stemsOf(sentence).slice(0, 8).includes(subject)
}

function stemsOf(text: string): string[] {
  return [...new Set(contentTermsOf(text).map(stemOf))]
}
