import { contentTermsOf } from '@tollbook/flow/text/index-terms'

/**
 * What a query asks for. `definition`: what or who something is; `property`: a property of it, such as its colour;
 * `choice`: whether something is so; `other`: a question
 * of another kind; `words`: no question.
 */
export type QuestionKind =
  | 'definition'
  | 'person'
  | 'time'
  | 'place'
  | 'count'
  | 'reason'
  | 'property'
  | 'choice'
  | 'other'
  | 'words'

export type Question = {
  readonly kind: QuestionKind
  readonly query: string
  /** The query without the words that make it a question. */
  readonly focus: string
  /** Of a count of something that is measured: `tall`, `old`, `much`; of a place: `live`, `born`; else null. */
  readonly aspect: string | null
  /** Of a count: the term for what is counted; null if a measure is meant, such as `how old`. */
  readonly counted: string | null
}

type Pattern = readonly [kind: QuestionKind, pattern: RegExp]

/** In the order in which they are tried; the first group is the focus. */
const PATTERNS: readonly Pattern[] = [
  [
    'definition',
    /^(?:what(?:['’]s| is| are| was| were)|define|explain|meaning of|definition of) (?:the )?(?:definition|meaning) of (.+)$/,
  ],
  ['definition', /^what (?:does|do|did) (.+) (?:mean|stand for)$/],
  ['definition', /^(?:define|definition of|meaning of) (.+)$/],
  ['time', /^(?:in |on |since )?(?:when|what (?:year|date|day|month|century)|which year)\b(.+)$/],
  [
    'place',
    /^(?:from |in )?(?:where|what (?:city|country|state|county|place|continent|town|location)|which (?:city|country|state))\b(.+)$/,
  ],
  [
    'count',
    /^(?:about |approximately )?how (?:many|much|old|tall|high|far|long|big|large|deep|fast|heavy|often|wide|hot|cold)\b(.+)$/,
  ],
  [
    'count',
    /^what (?:is the |was the )?(?:percent(?:age)?|number of|amount|population|age|height|length|weight|speed|temperature|size)\b(.+)$/,
  ],
  ['reason', /^(?:why|what (?:causes?|caused|is the (?:cause|reason)))\b(.+)$/],
  ['definition', /^(?:what|who)(?:['’]s| is| are| was| were) (.+)$/],
  ['person', /^(?:by )?(?:who|whom|whose|which (?:person|company|team|band|actor|author|artist))\b(.+)$/],
  ['definition', /^(?:was|wer) (?:ist|sind|war|waren) (.+)$/],
  ['time', /^(?:(?:seit|bis|ab) )?wann\b(.+)$/],
  ['place', /^(?:wo|woher|wohin)\b(.+)$/],
  ['count', /^wie (?:viele?|alt|hoch|groß|lang|weit|schnell|schwer|tief|oft)\b(.+)$/],
  ['person', /^(?:wer|wen|wem)\b(.+)$/],
  ['reason', /^(?:warum|weshalb|wieso)\b(.+)$/],
  [
    'choice',
    /^(?:is|are|was|were|do|does|did|can|could|should|may|must|will|has|have|had|ist|sind|war|darf|kann|soll|est-ce que) (.+)$/,
  ],
  [
    'other',
    /^(?:what|which|how|welche[rsmn]?|wie|comment|pourquoi|quand|où|qui|que|quel(?:le)?s?|cómo|qué|quién|dónde|cuándo|cuánto|come|cosa|chi|dove|quando|perché)\b(.+)$/,
  ],
]

/** A noun with `of`, or a verb at the end, asks for a property of the focus, not for what it is. */
const PROPERTY =
  /\b(?:of|for|about|like|in|on|from|to|with|by|at|between|used|called|named|made|based|known|located|born|married|caused|like|name|names|difference|differences)\b/

/** What a query asks for, by its first words; in English and German, and roughly in three other languages. */
export function readQuestion(query: string): Question {
  const text = toFront(query.toLowerCase().replaceAll(/\s+/g, ' ').trim())
  for (const [kind, pattern] of PATTERNS) {
    const focus = pattern.exec(text)?.[1]?.trim()
    if (focus === undefined) continue
    const isProperty = kind === 'definition' && PROPERTY.test(focus)
    return {
      query,
      kind: isProperty ? (/^who\b/.test(text) ? 'person' : 'property') : kind,
      focus,
      aspect: aspectOf(text, kind),
      counted: kind === 'count' ? countedOf(text) : null,
    }
  }
  return { query, kind: 'words', focus: text, aspect: null, counted: null }
}

/** Questions whose question word is not the first word: `Base makes a block every how many seconds` */
function toFront(query: string): string {
  const text = query.replaceAll(/[?!.\s]+$/g, '')
  const plain = text.replace(
    /^(?:(?:please )?(?:tell me|explain|do you know|can you tell me),? )?(?:(?:in|on|at|by|to|for|of|during|since|under|about|with|as|through|within|around) )?(?=(?:what|which|whom?|whose|how|when|where|why)\b)/,
    '',
  )
  if (FIRST.test(plain)) return plain
  const word = query.endsWith('?') ? ANY_WORD : SURE_WORD
  const [, before, question] = word.exec(plain) ?? []
  // The comma ends what is counted: `how many seconds, Base makes a block every`.
  return question === undefined ? plain : `${question}, ${before}`
}

const ANY_WORD = /^(.+?) ((?:how|what|which|whom?|whose|when|where|why)\b.*)$/
const SURE_WORD = /^(.+?) ((?:how (?:many|much)|what|which|whom)\b.*)$/
const FIRST =
  /^(?:what|which|who|whom|whose|how|when|where|why|is|are|was|were|do|does|did|can|could|should|may|must|will|has|have|had|define|explain|meaning|definition)\b/

function aspectOf(text: string, kind: QuestionKind): string | null {
  if (kind === 'count')
    return /^(?:about |approximately )?(?:how|what(?: is the| was the)?) (\w+)/.exec(text)?.[1] ?? null
  if (kind === 'place') return PLACE_VERB.exec(text)?.[1] ?? null
  return kind === 'definition' ? (/ (stand|mean)(?:s| for|s for)?$/.exec(text)?.[1] ?? null) : null
}

const PLACE_VERB =
  /\b(live|lives|lived|born|buried|built|made|found|discovered|come from|comes from|came from|from|grow|grows|form|originate|originated|invented|filmed|die|died|study|studied)$/

/** What is counted, up to the next verb or preposition. */
function countedOf(text: string): string | null {
  const after = /\b(?:how many|wie viele|number of)\b(.+)$/.exec(text)?.[1]
  if (after === undefined) return null
  const phrase = after.split(END_OF_PHRASE)[0] ?? ''
  return contentTermsOf(phrase).length > 0 ? phrase : null
}

const END_OF_PHRASE =
  /,| (?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|there|in|on|at|of|for|from|to|with|by|per|a|the|live|lived|died?|killed|gibt|hat|haben|sind|leben|in) ?/
