/** BCP 47 codes of a language pair. */
export type LanguagePair = { readonly source: string; readonly target: string }

/** Whether text in one variant of a language can be used for another: the same script, no other region. */
export function isForm(one: string, other: string): boolean {
  const [a, b] = [readLocale(one), readLocale(other)]
  const [full, fuller] = [a.maximize(), b.maximize()]
  const isSameLanguage = toMain(full.language) === toMain(fuller.language)
  return isSameLanguage && full.script === fuller.script && (!a.region || !b.region || a.region === b.region)
}

/** The pair from one language to the other; one with exactly their variants is preferred. */
export function choosePair<Pair extends LanguagePair>(
  pairs: readonly Pair[],
  wanted: LanguagePair,
): Pair | null {
  const fitting = pairs.filter(
    ({ source, target }) => isForm(source, wanted.source) && isForm(target, wanted.target),
  )
  const distance = ({ source, target }: Pair) =>
    Number(target !== wanted.target) * 2 +
    Number(source !== wanted.source) +
    // Next, the plain form is preferred.
    Number(target.includes('-')) / 2
  return fitting.toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}

function readLocale(code: string): Intl.Locale {
  return new Intl.Locale(code)
}

/** Plain Norwegian is Bokmål. */
function toMain(language: string): string {
  return language === 'no' ? 'nb' : language
}
