import { AddressFault, type Diagnosis, type FatalDiagnosis } from './diagnosis.ts'

/** Where an address is being read, and what was found so far. */
export class AddressScanner {
  readonly found = new Set<Diagnosis>()
  readonly #characters: readonly string[]
  #at = 0

  constructor(address: string) {
    this.#characters = Array.from(address)
  }

  /** The next character; undefined at the end. */
  get next(): string | undefined {
    return this.#characters[this.#at]
  }

  get afterNext(): string | undefined {
    return this.#characters[this.#at + 1]
  }

  /** Takes the next character. */
  take(): string {
    const character = this.#characters[this.#at] ?? ''
    this.#at += 1
    return character
  }

  note(diagnosis: Diagnosis): void {
    this.found.add(diagnosis)
  }

  fault(diagnosis: FatalDiagnosis): AddressFault {
    return new AddressFault(diagnosis, Math.min(this.#at, this.#characters.length) + 1)
  }
}

/** `atext` of RFC 5322 section 3.2.3, and of RFC 6531 section 3.3 beyond ASCII. */
export function isAtomCharacter(character: string | undefined): character is string {
  return (
    character !== undefined &&
    (/^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]$/.test(character) || isBeyondAscii(character))
  )
}

/** UTF-8 beyond ASCII; neither a C1 control nor a lone surrogate, which is no character. */
export function isBeyondAscii(character: string): boolean {
  return character >= '\u00a0' && character.isWellFormed()
}

/** Printable ASCII and the space. */
export function isPrintable(character: string): boolean {
  return character >= ' ' && character <= '~'
}

/** Control characters that only the obsolete syntax knows (RFC 5322 section 4.1): all but NUL, HT, LF and CR. */
export function isObsoleteControl(character: string): boolean {
  return character === '\u007f' || (character < ' ' && !'\0\t\n\r'.includes(character))
}
