export type Note = { readonly line: number | null; readonly message: string }

/** Further notes are only counted. */
const MAX_NOTES = 100

/** Warnings of one conversion, for the caller. */
export class Notes {
  readonly #notes: Note[] = []
  readonly #said = new Set<string>()
  #left = 0

  add(message: string, line: number | null = null): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ line, message })
    else this.#left += 1
  }

  /** Adds a message that may apply many times; only the first occurrence is reported. */
  addOnce(message: string, line: number | null = null): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.add(message, line)
  }

  list(): readonly Note[] {
    if (this.#left === 0) return this.#notes
    return [...this.#notes, { line: null, message: `${this.#left} further warnings omitted` }]
  }
}
