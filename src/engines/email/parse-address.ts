import { AddressScanner } from './address-scanner.ts'
import { type AddressCategory, AddressError, DIAGNOSES, type Diagnosis, mostSevere } from './diagnosis.ts'
import { type Domain, readDomain } from './domain.ts'
import { type LocalPart, readLocalPart } from './local-part.ts'

/** An e-mail address and how it relates to RFC 5321, 5322 and 6531. */
export type ParsedAddress = {
  readonly diagnosis: Diagnosis
  readonly category: AddressCategory
  /** Human-readable; an error includes its column. */
  readonly message: string
  /** Whether SMTP can deliver to it, judging by its form alone. */
  readonly isMailbox: boolean
  /** Both are null if the text is not an address. */
  readonly local: LocalPart | null
  readonly domain: Domain | null
}

/** RFC 5321 section 4.5.3.1.3 allows a path of 256 octets, two of which are its brackets. */
const MAX_OCTETS = 254

/**
 * Reads one address by the grammar; nothing is looked up.
 * @example
 * parseAddress('"a b"@example.com').diagnosis // 'quoted_string'
 */
export function parseAddress(address: string): ParsedAddress {
  const scanner = new AddressScanner(address)
  try {
    const local = readLocalPart(scanner)
    const domain = readDomain(scanner)
    const wire = `${local.text}@${domain.ascii ?? domain.text}`
    if (Buffer.byteLength(wire) > MAX_OCTETS) scanner.note('too_long')
    const diagnosis = mostSevere(scanner.found)
    const { category, message } = DIAGNOSES[diagnosis]
    const isMailbox = category === 'valid' || category === 'rfc5321' || category === 'rfc6531'
    return { diagnosis, category, message, isMailbox, local, domain }
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    const { diagnosis, column } = error
    const message = `${DIAGNOSES[diagnosis].message.slice(0, -1)} (column ${column}).`
    return { diagnosis, category: 'error', message, isMailbox: false, local: null, domain: null }
  }
}
