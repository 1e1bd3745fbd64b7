/** The page of a merchant, without a file ending. */
export function pageUrl(baseUrl: string, address: string): string {
  return `${baseUrl}/merchants/base/${address}`
}

export function badgeUrl(baseUrl: string, address: string): string {
  return `${pageUrl(baseUrl, address)}/badge.svg`
}
