import type { PublishedReport } from './published-report.ts'

/** SHA-256 in hex digits, by Web Crypto, which pages have as well. */
export async function toSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The digest of a report's bytes as published, however the local copy is formatted. */
export function digestReportDocument({ document }: PublishedReport): Promise<string> {
  return toSha256(`${JSON.stringify(document)}\n`)
}
