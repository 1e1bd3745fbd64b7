/** A value in transit between two formats. Numbers keep their digits and members their order, so nothing is lost. */
export type Value = null | boolean | string | NumberText | Bytes | readonly Value[] | Fields

/** A number as written, in JSON grammar (RFC 8259 section 6): `1.10` stays `1.10`. */
export class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Binary data; only SQL has a literal for it. */
export class Bytes {
  /** Two lower-case hex digits per byte. */
  readonly hex: string
  constructor(hex: string) {
    this.hex = hex.toLowerCase()
  }

  /** As text in PostgreSQL's format: `\x` and the digits. */
  toText(): string {
    return `\\x${this.hex}`
  }
}

/** The members of an object, or the cells of a row by column name. Names may repeat. */
export class Fields {
  readonly names: readonly string[]
  readonly values: readonly Value[]
  constructor(names: readonly string[], values: readonly Value[]) {
    this.names = names
    this.values = values
  }
}

export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
