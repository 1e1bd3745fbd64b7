export type Note = { readonly line: number | null; readonly message: string }

/** Further notes are only counted. */
const MAX_NOTES = 100

/** Warnings of one conversion, for the caller. */
export class Notes {
  readonly #notes: Note[] = []
  readonly #reported = new Set<string>()
  #omitted = 0

  add(message: string, line: number | null = null): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ line, message })
    else this.#omitted += 1
  }

  /** Adds a message that may apply many times; only the first occurrence is reported. */
  addOnce(message: string, line: number | null = null): void {
    if (this.#reported.has(message)) return
    this.#reported.add(message)
    this.add(message, line)
  }

  list(): readonly Note[] {
    if (this.#omitted === 0) return this.#notes
    return [...this.#notes, { line: null, message: `${this.#omitted} further warnings omitted` }]
  }
}
