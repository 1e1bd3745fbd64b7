/** Abbreviations that end with a full stop inside a sentence; letters only, lower case. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st rev hon gen col capt lt sgt sen rep gov pres sr jr vs etc eg ie cf al approx dept est fig ' +
    'figs inc ltd co corp no nos vol ed eds pp ch sec art jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'bzw usw ca nr str evtl ggf vgl inkl zzgl mme mlle av bd env sra srta ud uds pág núm sig dott ing'
  ).split(' '),
)

/** Abbreviations that often end a sentence: a capital letter after them begins a new one. */
const ENDS_OFTEN = new Set(['etc', 'inc', 'ltd', 'co', 'corp', 'jr', 'sr', 'al', 'usw'])

/**
 * Splits a paragraph into sentences by the Unicode rules (UAX 29) of the language; parts that were split at
 * an abbreviation, an initial or a number are joined again.
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

function endsSentence(open: string, next: string): boolean {
  const last = /(?:^|[\s("'“‘[])((?:\p{L}\.)*\p{L}+)\.\s*$/u.exec(open)?.[1]
  if (last === undefined) return true
  const letters = last.replaceAll('.', '').toLowerCase()
  const isLower = /^["'“‘([]?\p{Ll}/u.test(next)
  if (isLower) return false
  if (ENDS_OFTEN.has(letters)) return true
  if (ABBREVIATIONS.has(letters)) return false
  // "J. Smith" is one name; "the U.S. Then" is two sentences; "the U.S. Senate" cannot be distinguished from it.
  return !/^\p{Lu}$/u.test(last)
}
