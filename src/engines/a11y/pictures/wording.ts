import { GENERIC_WORDS, IMAGE_PREFIX } from './generic-words.ts'

export type WordingIssue = {
  readonly type: 'filename_alt' | 'generic_alt' | 'long_alt'
  readonly message: string
  readonly severity: 'serious' | 'moderate' | 'minor'
}

type Wording = {
  readonly text: string
  /** The image's URLs, as the page writes them. */
  readonly sources: readonly string[]
  /** Max characters. */
  readonly maxLength: number
}

/** What is wrong with the wording of a text alternative; null if nothing is. */
export function checkWording({ text, sources, maxLength }: Wording): WordingIssue | null {
  if (isFileName(text, sources)) {
    const message = 'The text alternative is a file name; describe what the image shows.'
    return { type: 'filename_alt', message, severity: 'serious' }
  }
  if (isGeneric(text)) {
    const message = `"${text}" describes any image; describe what this one shows.`
    return { type: 'generic_alt', message, severity: 'moderate' }
  }
  if (IMAGE_PREFIX.test(text)) {
    const message = 'Screen readers already announce an image; begin with what it shows.'
    return { type: 'generic_alt', message, severity: 'minor' }
  }
  const letters = [...text].length
  if (letters <= maxLength) return null
  const message = `The text alternative has ${letters} characters (limit ${maxLength}); move the details into the page text.`
  return { type: 'long_alt', message, severity: 'minor' }
}

const EXTENSION = /\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|ico|heic|jfif)$/i
/**
 * Names that cameras, phones, editors and uploads generate: IMG_2837, DSC00012, Screenshot 2026-01-02,
 * hero-final-v2, hashes.
 */
const MACHINE_NAME =
  /^(?:(?:img|dsc[nf]?|pict?|image|photo|screen[ _-]?shot|scan|wp|pxl|mvimg|vid|snap|untitled|unnamed|download|capture)[ _-]?\(?\d{2,}[\w() -]*|[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{8,}(?:[_x-]\d+)*|[a-z0-9]+(?:[-_][a-z0-9]+)*[-_](?:v\d+|final|copy|\d+x\d+|min|thumb|thumbnail|scaled|\d{5,}))$/i

/** The usual file name limit of file systems. */
const MAX_NAME_LENGTH = 255

function isFileName(text: string, sources: readonly string[]): boolean {
  const written = text.trim()
  if (written.length > MAX_NAME_LENGTH) return false
  if (EXTENSION.test(written) && !/\s\S+\s/.test(written)) return true
  if (MACHINE_NAME.test(written)) return true
  // Several words joined as in a file name, and equal to the name of this very file.
  const isJoined = /^[^\s]+[-_][^\s]+$/.test(written)
  return isJoined && sources.some((source) => nameOf(source) === written.toLowerCase())
}

/** The last path segment, without extension, in lower case. */
function nameOf(source: string): string {
  const path = source.split(/[?#]/)[0] ?? ''
  const last = path.split('/').at(-1) ?? ''
  return decode(last).replace(EXTENSION, '').toLowerCase()
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A generic word, ignoring digits and punctuation; or a single letter or sign. */
function isGeneric(text: string): boolean {
  const words = text
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\d\p{P}\p{S}_]+/gu, ' ')
    .trim()
    .replace(/\s+/g, ' ')
  // A single Han character can be a meaningful word.
  if ([...text.trim()].length === 1) return !/\p{Script=Han}/u.test(text)
  return words === '' ? false : GENERIC_WORDS.has(words)
}
