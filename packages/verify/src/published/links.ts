/** A revision of a published week, or the newest window of this length; null for the newest seven days. */
export type Version = WeekVersion | { readonly week?: undefined; readonly days: number } | null
export type WeekVersion = { readonly week: string; readonly revision: number }

export function pageUrl(baseUrl: string, address: string): string {
  return `${baseUrl}/merchants/base/${address}`
}

export function badgeUrl(baseUrl: string, address: string): string {
  return `${pageUrl(baseUrl, address)}/badge.svg`
}

export function reportUrl(baseUrl: string, address: string, version: Version): string {
  return `${pageUrl(baseUrl, address)}.json${toQuery(version)}`
}

/** Every payment behind a report as NDJSON. */
export function evidenceUrl(baseUrl: string, address: string, version: Version): string {
  return `${pageUrl(baseUrl, address)}/payments.ndjson${toQuery(version)}`
}

export function inputsUrl(baseUrl: string, address: string, version: Version): string {
  return `${pageUrl(baseUrl, address)}/inputs.json${toQuery(version)}`
}

/** @param isByGroup whether each merchant group counts once; default: each wallet does. */
export function rankingUrl(
  baseUrl: string,
  version: Version,
  { isByGroup = false }: { readonly isByGroup?: boolean } = {},
): string {
  const query = toQuery(version)
  // The name of `group` in version 1: inputs of published weeks contain this URL.
  const by = isByGroup ? `${query === '' ? '?' : '&'}by=operator` : ''
  return `${baseUrl}/merchants.json${query}${by}`
}

export function weekUrl(baseUrl: string, week: string): string {
  return `${baseUrl}/weeks/${week}.json`
}

export function weekInputsUrl(baseUrl: string, { week, revision }: WeekVersion): string {
  return `${baseUrl}/weeks/${week}/inputs.json?revision=${revision}`
}

export function toQuery(version: Version): string {
  if (!version) return ''
  return version.week === undefined
    ? `?days=${version.days}`
    : `?week=${version.week}&revision=${version.revision}`
}
