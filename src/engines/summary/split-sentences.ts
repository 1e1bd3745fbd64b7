/** Words that end with a full stop inside a sentence; letters alone, lower case. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st rev hon gen col capt lt sgt sen rep gov pres sr jr vs etc eg ie cf al approx dept est fig ' +
    'figs inc ltd co corp no nos vol ed eds pp ch sec art jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'bzw usw ca nr str evtl ggf vgl inkl zzgl mme mlle av bd env sra srta ud uds pág núm sig dott ing'
  ).split(' '),
)

/** What may follow the abbreviations that also end sentences: with anything else a new sentence begins. */
const ENDS_OFTEN = new Set(['etc', 'inc', 'ltd', 'co', 'corp', 'jr', 'sr', 'al', 'usw'])

/**
 * Splits a paragraph into sentences, by the rules of Unicode (UAX 29) and of the language; where those stop at an
 * abbreviation, an initial or a number, the parts are put together again.
 * @param lang BCP 47; any other text counts as unknown
 */
export function splitSentences(paragraph: string, lang: string | null): string[] {
  const text = paragraph.replace(/\s+/g, ' ').trim()
  const sentences: string[] = []
  let open = ''
  for (const { segment } of segmenterOf(lang).segment(text)) {
    if (open !== '' && endsSentence(open, segment)) {
      sentences.push(open.trim())
      open = ''
    }
    open += segment
  }
  if (open.trim() !== '') sentences.push(open.trim())
  return sentences
}

/** To make one takes as long as to split a paragraph; pages name few languages. */
const segmenters = new Map<string, Intl.Segmenter>()
const MAX_SEGMENTERS = 64

function segmenterOf(lang: string | null): Intl.Segmenter {
  const name = lang ?? ''
  const known = segmenters.get(name)
  if (known) return known
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

/** Whether a new sentence begins with `next`. */
function endsSentence(open: string, next: string): boolean {
  const last = /(?:^|[\s("'“‘[])((?:\p{L}\.)*\p{L}+)\.\s*$/u.exec(open)?.[1]
  if (last === undefined) return true
  const letters = last.replaceAll('.', '').toLowerCase()
  const isLower = /^["'“‘([]?\p{Ll}/u.test(next)
  if (isLower) return false
  if (ENDS_OFTEN.has(letters)) return true
  if (ABBREVIATIONS.has(letters)) return false
  // "J. Smith" is one name; "the U.S. Then" is two sentences, and "the U.S. Senate" cannot be told from it.
  return !/^\p{Lu}$/u.test(last)
}
