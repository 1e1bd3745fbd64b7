/** Codes of a direction, BCP 47. */
export type LanguagePair = { readonly source: string; readonly target: string }

/** Whether what is written in one form of a language can stand for another: the same script, no other region. */
export function isForm(one: string, other: string): boolean {
  const [a, b] = [readLocale(one), readLocale(other)]
  const [full, fuller] = [a.maximize(), b.maximize()]
  const isSameLanguage = toMain(full.language) === toMain(fuller.language)
  return isSameLanguage && full.script === fuller.script && (!a.region || !b.region || a.region === b.region)
}

/** The pair that leads from one language to the other; the one of exactly their forms, if there is one. */
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
    // Among others, the plain form.
    Number(target.includes('-')) / 2
  return fitting.toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}

function readLocale(code: string): Intl.Locale {
  return new Intl.Locale(code)
}

/** Norwegian without more is Bokmål. */
function toMain(language: string): string {
  return language === 'no' ? 'nb' : language
}
