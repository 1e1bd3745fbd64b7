/** A page, with what its suite expects of an answer. */
export type StructurePage = {
  readonly name: string
  readonly suite: string
  readonly url: string
  readonly body: Uint8Array
  readonly ingredients?: readonly string[]
  readonly steps?: readonly string[]
  /** Decimal. */
  readonly price?: string
  /** Phrases of the content, and of the boilerplate. */
  readonly with?: readonly string[]
  readonly without?: readonly string[]
  /** Markdown with formulas between dollar signs. */
  readonly markdown?: string
  /** Whether all of the page is content. */
  readonly isWhole?: boolean
}

export type Half = 'tune' | 'held-out'
