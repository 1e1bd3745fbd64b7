/** A language, or a written variant of one. */
export type Language = {
  /** BCP 47 in its canonical form: `es`, `pt-BR`, `zh-Hant`, `ast`. */
  readonly code: string
  /** In English. */
  readonly name: string
}

export type LanguageNames = {
  /**
   * The language for a name in one of many languages, or for an ISO 639-1 or 639-3 code, also with script or
   * region.
   */
  readonly find: (text: string) => Language | null
}

/** Languages in which others are named, in addition to each language's own name. */
const NAMING = [
  'en',
  'es',
  'pt',
  'fr',
  'de',
  'it',
  'nl',
  'ca',
  'gl',
  'pl',
  'ru',
  'uk',
  'cs',
  'sv',
  'da',
  'no',
  'fi',
  'tr',
  'el',
  'ro',
  'hu',
  'id',
  'vi',
  'ar',
  'he',
  'fa',
  'hi',
  'bn',
  'th',
  'ja',
  'ko',
  'zh',
  'zh-Hant',
]

/** Three-letter codes that translation programs support. */
const LONG_CODES = [
  'ast',
  'szl',
  'frp',
  'fil',
  'yue',
  'haw',
  'ceb',
  'hmn',
  'ckb',
  'crh',
  'csb',
  'hsb',
  'dsb',
  'nds',
  'gsw',
  'scn',
  'vec',
  'lij',
  'lmo',
  'nap',
  'fur',
  'lad',
  'sah',
  'tyv',
  'bho',
  'mai',
  'awa',
  'mni',
  'ace',
  'ban',
  'bug',
  'ilo',
  'pag',
  'war',
  'nso',
  'tpi',
  'pap',
  'kab',
  'zgh',
  'shi',
  'wuu',
  'hak',
  'nan',
  'chr',
  'arz',
]

/** Variants that have names of their own, such as Brazilian Portuguese. */
const FORMS = [
  'pt-BR',
  'pt-PT',
  'zh-Hans',
  'zh-Hant',
  'en-US',
  'en-GB',
  'en-AU',
  'en-CA',
  'es-419',
  'es-ES',
  'es-MX',
  'es-AR',
  'fr-CA',
  'fr-CH',
  'fr-FR',
  'de-AT',
  'de-CH',
  'nl-BE',
  'sr-Latn',
  'sr-Cyrl',
  'ca-valencia',
]

/** Further names and codes in use. */
const ALIASES: Readonly<Record<string, string>> = {
  mandarin: 'zh',
  'mandarin chinese': 'zh',
  'standard chinese': 'zh',
  'chinese simplified': 'zh-Hans',
  'chinese traditional': 'zh-Hant',
  cantonese: 'yue',
  castilian: 'es',
  castellano: 'es',
  'latin american spanish': 'es-419',
  brazilian: 'pt-BR',
  'portugues brasileiro': 'pt-BR',
  portuguese: 'pt',
  farsi: 'fa',
  dari: 'fa-AF',
  flemish: 'nl-BE',
  valencian: 'ca-valencia',
  moldovan: 'ro',
  tagalog: 'fil',
  'serbo-croatian': 'sr-Latn',
  bokmal: 'nb',
  nynorsk: 'nn',
  burmese: 'my',
  khmer: 'km',
  gaelic: 'gd',
  'modern greek': 'el',
  // LibreTranslate's codes before version 1.6.
  zt: 'zh-Hant',
  pb: 'pt-BR',
  // Not in ISO, but common.
  jp: 'ja',
  cn: 'zh',
  kr: 'ko',
  gr: 'el',
  ua: 'uk',
  cz: 'cs',
  dk: 'da',
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/**
 * Knows languages by the Unicode CLDR names bundled with Node; the table is built on the first lookup by
 * name; codes do not need it.
 */
export function createLanguageNames(): LanguageNames {
  const english = namesIn('en')
  let table: ReadonlyMap<string, string> | undefined
  const toLanguage = (code: string): Language | null => {
    const name = english.of(code)
    return name === undefined ? null : { code, name }
  }
  return {
    find(text) {
      const key = toKey(text)
      const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined
      const code = alias ?? readCode(text)
      const byCode = code === null ? null : toLanguage(code)
      if (byCode) return byCode
      table ??= buildTable()
      const named = table.get(key)
      return named === undefined ? null : toLanguage(named)
    },
  }
}

function namesIn(locale: string, languageDisplay: 'dialect' | 'standard' = 'dialect'): Intl.DisplayNames {
  return new Intl.DisplayNames([locale], { type: 'language', fallback: 'none', languageDisplay })
}

/** Names are compared without case, accents and punctuation, in word order: `Portuguese (Brazil)`. */
function toKey(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[()（）,.]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A code in canonical form; ISO 639-2 and -3 codes are shortened if possible; null for others. */
export function readCode(text: string): string | null {
  const tag = text.trim().replaceAll('_', '-')
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag)) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

function buildTable(): Map<string, string> {
  const english = namesIn('en')
  const codes = LETTERS.flatMap((one) => LETTERS.map((other) => one + other))
    .filter((code) => english.of(code) !== undefined)
    // Outdated codes are replaced by their successors.
    .filter((code) => Intl.getCanonicalLocales(code)[0] === code)
  const known = [...codes, ...LONG_CODES, ...FORMS]
  const table = new Map<string, string>()
  const add = (name: string | undefined, code: string) => {
    const key = toKey(name ?? '')
    if (key !== '' && !table.has(key)) table.set(key, code)
  }
  for (const locale of NAMING) {
    for (const names of [namesIn(locale), namesIn(locale, 'standard')]) {
      for (const code of known) add(names.of(code), code)
    }
  }
  for (const code of known) add(namesIn(code).of(code), code)
  return table
}
