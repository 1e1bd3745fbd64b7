import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** RFC 1035 section 2.3.4; service names begin with an underscore (RFC 8552). */
const MAX_NAME_LENGTH = 253
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * A domain name in DNS form: lower case, international labels in Punycode, no trailing dot. Null if it is not
 * a domain name; IP addresses are not.
 */
export function toDomainName(text: string): string | null {
  const trimmed = text.trim().replace(/[.\u3002\uff0e\uff61]$/u, '')
  const name = /^[\x21-\x7e]+$/.test(trimmed) ? trimmed.toLowerCase() : domainToASCII(trimmed)
  if (name === '' || name.length > MAX_NAME_LENGTH || isIP(name) !== 0) return null
  return name.split('.').every((label) => LABEL.test(label)) ? name : null
}
