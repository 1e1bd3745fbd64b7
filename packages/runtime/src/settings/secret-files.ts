import { readFileSync } from 'node:fs'
import { openKeystore } from './keystore.ts'

/** Settings with a secret: keys and tokens, and URLs that may contain a password or a key. */
const SECRET = /_(?:KEYS?|TOKEN|SECRET)$|^TOLLBOOK_(?:CHAIN_RPC|SIGNER|STATE|LEDGER)_URL$/
const SUFFIX = '_FILE'
/** Settings with one private key, whose file may be a keystore. */
const PRIVATE_KEY = /^TOLLBOOK_(?:FACILITATOR|OFFER|OWNERSHIP|CALL)_KEY$/
const PASSPHRASE = 'TOLLBOOK_KEYSTORE_SECRET'
/** Far more than a list of keys needs. */
const MAX_CHARS = 65_536

/**
 * Replaces each `<NAME>_FILE` of a secret setting by `<NAME>` with the content of that file, without white space at its
 * ends. A private key is decrypted if its file is a keystore. Returned errors name the setting and never the content.
 */
export function readSecretFiles(
  given: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): { readonly values: Readonly<Record<string, string | undefined>>; readonly issues: readonly string[] } {
  const values = { ...given }
  const issues: string[] = []
  for (const setting of settings) {
    const file = given[`${setting}${SUFFIX}`]
    if (!SECRET.test(setting) || file === undefined) continue
    delete values[`${setting}${SUFFIX}`]
    if (given[setting] !== undefined) {
      issues.push(`${setting}: must not be set together with ${setting}${SUFFIX}`)
      continue
    }
    const read = readSecret(file)
    if ('issue' in read) issues.push(`${setting}${SUFFIX}: the file ${read.issue}`)
    else values[setting] = read.text
  }
  for (const setting of settings) {
    const text = values[setting]
    if (given[`${setting}${SUFFIX}`] === undefined || !PRIVATE_KEY.test(setting) || !text?.startsWith('{'))
      continue
    const opened = openKeystore(text, values[PASSPHRASE])
    delete values[setting]
    if ('issue' in opened) issues.push(`${setting}${SUFFIX}: the file ${opened.issue}`)
    else values[setting] = opened.key
  }
  return { values, issues }
}

function readSecret(file: string): { readonly text: string } | { readonly issue: string } {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text.length > MAX_CHARS) return { issue: `has more than ${MAX_CHARS} characters` }
    return text === '' ? { issue: 'is empty' } : { text }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
    return { issue: `cannot be read (${code})` }
  }
}
