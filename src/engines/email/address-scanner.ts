import { AddressError, type Diagnosis, type FatalDiagnosis } from './diagnosis.ts'

/** The position in an address and the diagnoses found so far. */
export class AddressScanner {
  readonly found = new Set<Diagnosis>()
  readonly #characters: readonly string[]
  #at = 0

  constructor(address: string) {
    this.#characters = Array.from(address)
  }

  get next(): string | undefined {
    return this.#characters[this.#at]
  }

  get afterNext(): string | undefined {
    return this.#characters[this.#at + 1]
  }

  /** Consumes and returns the next character. */
  take(): string {
    const character = this.#characters[this.#at] ?? ''
    this.#at += 1
    return character
  }

  note(diagnosis: Diagnosis): void {
    this.found.add(diagnosis)
  }

  error(diagnosis: FatalDiagnosis): AddressError {
    return new AddressError(diagnosis, Math.min(this.#at, this.#characters.length) + 1)
  }
}

/** `atext` of RFC 5322 section 3.2.3, extended beyond ASCII by RFC 6531 section 3.3. */
export function isAtomCharacter(character: string | undefined): character is string {
  return (
    character !== undefined &&
    (/^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]$/.test(character) || isBeyondAscii(character))
  )
}

/** Characters beyond ASCII, except C1 controls and lone surrogates, which are not characters. */
export function isBeyondAscii(character: string): boolean {
  return character >= '\u00a0' && character.isWellFormed()
}

/** Printable ASCII and the space. */
export function isPrintable(character: string): boolean {
  return character >= ' ' && character <= '~'
}

/** Control characters that only the obsolete syntax allows (RFC 5322 section 4.1): all but NUL, HT, LF and CR. */
export function isObsoleteControl(character: string): boolean {
  return character === '\u007f' || (character < ' ' && !'\0\t\n\r'.includes(character))
}
