import { type SentenceWords, sentenceWordsOf } from './sentence-words.ts'

/** Ends that the Unicode rules do not see: before a dash of direct speech, Dutch quotes, and after citations. */
const FURTHER_END =
  /(?<=[.!?…]["'”’»)]{0,2}) +(?=[-–—] ?\p{Lu}|,, ?\p{Lu})|(?<=[.!?…]["'”’»)]{0,2}(?: ?\[\d{1,3}\](?:: ?\d+(?:[-–]\d+)?)?){1,9}) +(?=\S)/gu
/** Closing quotes after a space, and what is left of a citation whose bracket belongs to the sentence before it. */
const BELONGS_BEFORE =
  /^(?:(?:''|["'»”’]|``)(?=\s|$)|\d{1,3}\](?:: ?\d+)?(?:\[\d{1,3}\](?:: ?\d+)?)*(?=\s|$))\s*/u
/** Abbreviations that no sentence ends with. */
const TITLES = new Set(
  'mr mrs ms messrs dr prof st rev gen capt lt sgt sen gov sr sra srta mme mlle sig dott mgr hr fr vgl bzw zb dh eg ie cf vs im św ul inkl'.split(
    ' ',
  ),
)
/** Abbreviations that often end a sentence: any capital letter after them begins a new one. */
const ENDS_OFTEN = new Set('etc usw usf jr ecc enz itd itp atd osv mfl apod eccetera uä ua oä'.split(' '))
/** Units after a number, with which a sentence may end. */
const UNITS = new Set('zł gr pkt min sek godz km mm kg руб коп г гг mil mld'.split(' '))
/** German ordinals: words before them, and the months after them. */
const BEFORE_ORDINAL =
  /(?:^|[\s("„»])(?:am|im|vom|zum|zur|beim|der|des|dem|den|die|das|ein|eine|einem|einen|einer|eines|ihr|ihre|ihrem|ihren|ihrer|sein|seine|seinem|seinen|seiner|unser|unsere|bis|ab|seit|und|oder|jeder|jede|jedes|jeden|jedem) \d{1,3}\.$/iu
const MONTH =
  /^(?:Jan(?:uar|uary|\.)?|Jänner|Feb(?:ruar|\.)?|Mär(?:z|\.)|Apr(?:il|\.)?|Mai|Jun[i.]?|Jul[i.]?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Okt(?:ober|\.)?|Nov(?:ember|\.)?|Dez(?:ember|\.)?)(?![\p{L}])/u
/** How much text before an end decides about it. */
const LOOK_BACK = 60

/**
 * Splits a paragraph into sentences by the Unicode rules (UAX 29) of the language; ends at an abbreviation, an
 * initial, an ordinal or the number of an item are none. Measured by `npm run quality -- --only sentences`.
 * @param lang BCP 47; any other text counts as unknown
 */
export function splitSentences(paragraph: string, lang: string | null): string[] {
  const text = paragraph.replace(/\s+/g, ' ').trim()
  const words = sentenceWordsOf(lang)
  const sentences: string[] = []
  let start = 0
  for (const end of endsOf(text, lang)) {
    if (
      end <= start ||
      !endsSentence(text.slice(Math.max(start, end - LOOK_BACK), end), text, { end, words })
    )
      continue
    const sentence = text.slice(start, end).trim()
    if (sentence !== '') sentences.push(sentence)
    start = end
  }
  const rest = text.slice(start).trim()
  if (rest !== '') sentences.push(rest)
  return sentences
}

/** Positions at which a sentence may end, ascending. */
function endsOf(text: string, lang: string | null): number[] {
  const found = new Set<number>()
  for (const { index } of segmenterOf(lang).segment(text)) found.add(index)
  for (const match of text.matchAll(FURTHER_END)) found.add(match.index + match[0].length)
  const moved = [...found].map(
    (end) => end + (BELONGS_BEFORE.exec(text.slice(end, end + 40))?.[0].length ?? 0),
  )
  return [...new Set(moved)].filter((end) => end > 0 && end < text.length).sort((one, other) => one - other)
}

/** Creating a segmenter takes as long as splitting a paragraph, and pages use few languages. */
const segmenters = new Map<string, Intl.Segmenter>()
const MAX_SEGMENTERS = 64

function segmenterOf(lang: string | null): Intl.Segmenter {
  const name = lang ?? ''
  const cached = segmenters.get(name)
  if (cached) return cached
  if (segmenters.size >= MAX_SEGMENTERS) segmenters.clear()
  const made = createSegmenter(lang)
  segmenters.set(name, made)
  return made
}

function createSegmenter(lang: string | null): Intl.Segmenter {
  try {
    return new Intl.Segmenter(lang ?? undefined, { granularity: 'sentence' })
  } catch {
    return new Intl.Segmenter('en', { granularity: 'sentence' })
  }
}

/** @param open the end of the sentence so far */
function endsSentence(
  open: string,
  text: string,
  { end, words }: { readonly end: number; readonly words: SentenceWords },
): boolean {
  const next = text.slice(end, end + LOOK_BACK)
  const before = open.trimEnd()
  // Scripts without spaces end sentences by signs of their own; in others it is an address or a file name.
  if (before === open && !/[。！？．｡؟۔।॥]["'”’」』）]?$/u.test(before)) return false
  const bare = next.replace(/^["'“‘«„([]+/u, '')
  if (/^\p{Ll}/u.test(bare))
    return !/[.!?…]["'”’»)]+$/u.test(before) && /[!?]$/.test(before) && !/^["“«„(]/u.test(next)
  // The number of an item belongs to what follows.
  if (/^\(?\d{1,4}\.$/.test(before)) return false
  if (/\d\.$/.test(before))
    return !(BEFORE_ORDINAL.test(before) || (MONTH.test(bare) && /(?:^|\D)\d{1,2}\.$/.test(before)))
  const last = /(?:^|[\s(["“‘„«/]|\s')((?:\p{L}+\.-?)*\p{L}+)\.$/u.exec(before)?.[1]
  const isAfterNumber =
    /\d\s\p{L}+\.$/u.test(before) || /\d (?:tys|mln|mld|Mio|Mrd|тыс|млн|млрд)\. \p{L}+\.$/u.test(before)
  return last === undefined || endsAtWord({ last, next: bare, isAfterNumber }, words)
}

/** Whether a sentence ends at a word with a full stop, which may be an abbreviation. */
function endsAtWord(
  {
    last,
    next,
    isAfterNumber,
  }: { readonly last: string; readonly next: string; readonly isAfterNumber: boolean },
  { abbreviations, starters }: SentenceWords,
): boolean {
  const letters = last.replaceAll(/[.-]/g, '').toLowerCase()
  const [first = ''] = /^\p{L}+/u.exec(next) ?? []
  const isStart = starters.has(first.toLowerCase())
  if (TITLES.has(letters)) return false
  // "J. Smith" is one name.
  if (/^\p{Lu}$/u.test(last)) return false
  // "the U.S. Senate", but "the U.S. The"; "v. Gore".
  if (last.includes('.') || /^\p{Ll}$/u.test(last)) return isStart || (isAfterNumber && /^\p{Lu}/u.test(next))
  if (/^\p{Lu}+$/u.test(last)) return true
  if (ENDS_OFTEN.has(letters) || (isAfterNumber && UNITS.has(letters))) return /^\p{L}/u.test(next)
  if (letters === 'no') return !/^\d/.test(next)
  return !abbreviations.has(letters) || isStart
}
