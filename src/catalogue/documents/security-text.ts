import type { Service } from '../service.ts'

export const SECURITY_TEXT_PATH = '/.well-known/security.txt'

/** Section 2.5.5 recommends less than a year. */
const VALID_DAYS = 364

/**
 * Where to report a vulnerability (RFC 9116), for 364 days from the start.
 * @returns null without a contact that is an e-mail address or an https URL (section 2.5.3).
 */
export function buildSecurityText(
  { baseUrl, profile }: Pick<Service<string>, 'baseUrl' | 'profile'>,
  startedAt: Date,
): string | null {
  const { contact } = profile ?? {}
  if (contact === undefined || contact.startsWith('http:')) return null
  const expires = new Date(startedAt.getTime() + VALID_DAYS * 86_400_000)
  const lines = [
    `Contact: ${contact.includes('://') ? contact : `mailto:${contact}`}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${SECURITY_TEXT_PATH}`,
  ]
  return `${lines.join('\n')}\n`
}
