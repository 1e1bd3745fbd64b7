/**
 * A value between two formats. Numbers keep the digits that were written, and members keep their order, so that
 * nothing is lost on the way.
 */
export type Value = null | boolean | string | NumberText | Bytes | readonly Value[] | Fields

/** A number as it was written, in the grammar of JSON (RFC 8259 section 6): `1.10` stays `1.10`. */
export class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Binary data, which only SQL can write. */
export class Bytes {
  /** Two hex digits for each byte, lower case. */
  readonly hex: string
  constructor(hex: string) {
    this.hex = hex.toLowerCase()
  }

  /** As text, in the form of PostgreSQL: `\x` and the digits. */
  toText(): string {
    return `\\x${this.hex}`
  }
}

/** The members of an object, or the cells of a row under the names of their columns. A name may stand twice. */
export class Fields {
  readonly names: readonly string[]
  readonly values: readonly Value[]
  constructor(names: readonly string[], values: readonly Value[]) {
    this.names = names
    this.values = values
  }
}

/** The grammar of a number of JSON. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
