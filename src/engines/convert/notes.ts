export type Note = { readonly line: number | null; readonly message: string }

/** More are only counted. */
const MAX_NOTES = 100

/** What a conversion did that its reader should know. */
export class Notes {
  readonly #notes: Note[] = []
  readonly #said = new Set<string>()
  #left = 0

  add(message: string, line: number | null = null): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ line, message })
    else this.#left += 1
  }

  /** Says something that holds for many places at its first one only. */
  addOnce(message: string, line: number | null = null): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.add(message, line)
  }

  list(): readonly Note[] {
    if (this.#left === 0) return this.#notes
    return [...this.#notes, { line: null, message: `${this.#left} further warnings are left out` }]
  }
}
