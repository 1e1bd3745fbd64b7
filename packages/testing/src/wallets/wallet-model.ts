type Fields = Record<string, unknown>
type Collection = { lastId: number; readonly rows: Map<number, Fields> }

const MAX_VERSIONS = 10

/** One wallet's data in store and scratchpads, as plain maps; everything it writes contains its word. */
export class WalletModel {
  readonly word: string
  readonly #collections = new Map<string, Collection>()
  /** Contents of each pad, first version first. */
  readonly #pads = new Map<string, string[]>()
  #written = 0

  constructor(word: string) {
    this.word = word
  }

  #row(): Fields {
    return { word: this.word, n: ++this.#written }
  }

  append(name: string, count: number) {
    const collection = this.#collections.get(name) ?? { lastId: 0, rows: new Map() }
    this.#collections.set(name, collection)
    const rows = Array.from({ length: count }, () => this.#row())
    const ids = rows.map((row) => {
      collection.rows.set(++collection.lastId, row)
      return collection.lastId
    })
    return { rows, ids, totalRows: collection.rows.size }
  }

  /** The request, and the row after it; null if there is none. */
  change(name: string, id: number, method: string): { readonly sent: Fields; readonly row: Fields | null } {
    const present = this.rowsOf(name)?.get(id)
    const sent = method === 'PUT' ? this.#row() : { n: ++this.#written, patched: true }
    if (!present) return { sent, row: null }
    const row = method === 'PUT' ? sent : { ...present, ...sent }
    this.rowsOf(name)?.set(id, row)
    return { sent, row }
  }

  rowsOf(name: string): Map<number, Fields> | undefined {
    return this.#collections.get(name)?.rows
  }

  deleteRow(name: string, id: number): 200 | 404 {
    return this.rowsOf(name)?.delete(id) ? 200 : 404
  }

  drop(name: string): 200 | 404 {
    return this.#collections.delete(name) ? 200 : 404
  }

  /** Names with the number of rows. */
  collections(): readonly (readonly [string, number])[] {
    return [...this.#collections].map(([name, { rows }]) => [name, rows.size] as const).sort()
  }

  /** Every row with its collection and id. */
  allRows(): readonly (readonly [string, number, Fields])[] {
    return this.collections().flatMap(([name]) =>
      [...(this.rowsOf(name) ?? [])].map(([id, fields]) => [name, id, fields] as const),
    )
  }

  writePad(name: string, mode: 'replace' | 'append'): { readonly sent: string; readonly version: number } {
    const contents = this.#pads.get(name) ?? []
    this.#pads.set(name, contents)
    const sent = `${this.word} ${++this.#written};`
    contents.push(mode === 'replace' ? sent : `${contents.at(-1) ?? ''}${sent}`)
    return { sent, version: contents.length }
  }

  readPad(name: string, version: number | null) {
    const contents = this.#pads.get(name)
    if (!contents) return { status: 404 } as const
    const at = (version ?? contents.length) - 1
    if (at < contents.length - MAX_VERSIONS) return { status: 410 } as const
    const content = contents[at]
    return content === undefined ? ({ status: 404 } as const) : ({ status: 200, content } as const)
  }

  removePad(name: string): 200 | 404 {
    return this.#pads.delete(name) ? 200 : 404
  }

  /** Names with the current versions. */
  pads(): readonly (readonly [string, number])[] {
    return [...this.#pads].map(([name, contents]) => [name, contents.length] as const).sort()
  }
}
