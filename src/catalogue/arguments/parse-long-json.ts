import type { Pace } from '../../flow/pace.ts'
import { parseExactJson } from './exact-json.ts'
import { type JsonBounds, JsonScan } from './json-fault.ts'
import { type JsonPart, JsonPlan, type LongJson } from './json-plan.ts'
import { JsonText, readMemberTexts } from './json-text.ts'

/** Characters scanned between two checks of the clock. */
const SCANNED_AT_ONCE = 65_536
/** Length of the piece of a long string that is parsed in one go. */
const PIECE_LENGTH = 262_144
const NOT_JSON = { fault: 'is not valid JSON' }

export type LongJsonReading =
  | { readonly value: unknown; readonly texts: ReadonlyMap<string, JsonText> }
  | { readonly fault: string }

/**
 * Parses a long JSON text in short turns of the event loop. A worker thread would not help: copying its
 * result takes as long as parsing, and numbers that a double cannot represent are lost on the way.
 */
export async function parseLongJson(
  text: string,
  options: {
    readonly bounds: JsonBounds
    readonly isExact: boolean
    /** Members of an object whose source texts are retained, as in `readMemberTexts`. */
    readonly keepsText: readonly string[]
    readonly pace: Pace
  },
): Promise<LongJsonReading> {
  const { bounds, isExact, keepsText, pace } = options
  const plan = new JsonPlan()
  const scan = new JsonScan(text, bounds, plan)
  while (!scan.isDone) {
    scan.advance(SCANNED_AT_ONCE)
    await pace.rest()
  }
  if (scan.fault !== null) return { fault: scan.fault }
  plan.end()
  if (plan.isBroken) return NOT_JSON
  const parse = (json: string): unknown => (isExact ? parseExactJson(json) : JSON.parse(json))
  const reader = new LongJsonReader(text, { parse, pace, keepsText })
  try {
    const { root } = plan
    if (!root) return { value: parse(text), texts: readMemberTexts(text, keepsText) }
    reader.expectSpace(0, root.start)
    reader.expectSpace(root.end, text.length)
    return { value: await reader.readRoot(root), texts: reader.texts }
  } catch (error) {
    if (error instanceof SyntaxError) return NOT_JSON
    throw error
  }
}

class LongJsonReader {
  readonly texts = new Map<string, JsonText>()
  readonly #text: string
  readonly #parse: (json: string) => unknown
  readonly #pace: Pace
  readonly #keepsText: readonly string[]

  constructor(
    text: string,
    options: {
      readonly parse: (json: string) => unknown
      readonly pace: Pace
      readonly keepsText: readonly string[]
    },
  ) {
    this.#text = text
    this.#parse = options.parse
    this.#pace = options.pace
    this.#keepsText = options.keepsText
  }

  async readRoot(root: LongJson): Promise<unknown> {
    if (root.kind === 'object' && this.#keepsText.length > 0)
      for (const part of root.parts) this.#keepTexts(part)
    return this.#read(root)
  }

  async #read(long: LongJson): Promise<unknown> {
    if (long.kind === 'string') return this.#readString(long.start, long.end)
    return long.kind === 'list' ? this.#readList(long.parts) : this.#readObject(long.parts)
  }

  async #readList(parts: readonly JsonPart[]): Promise<unknown[]> {
    const items: unknown[] = []
    for (const [at, part] of parts.entries()) {
      if (part.kind === 'run') {
        const run = this.#parse(`[${this.#slice(part)}]`) as unknown[]
        expectMembers(run.length, parts)
        for (const item of run) items.push(item)
      } else {
        this.expectSpace(part.start, part.child.start)
        items.push(await this.#read(part.child))
        this.#expectEnd(part.child, parts[at + 1])
      }
      await this.#pace.rest()
    }
    return items
  }

  async #readObject(parts: readonly JsonPart[]): Promise<Record<string, unknown>> {
    const members: Record<string, unknown> = {}
    for (const [at, part] of parts.entries()) {
      if (part.kind === 'run') {
        const run = this.#parse(`{${this.#slice(part)}}`) as Record<string, unknown>
        const names = Object.keys(run)
        expectMembers(names.length, parts)
        for (const name of names) members[name] = run[name]
      } else {
        const name = this.#nameOf(part)
        members[name] = await this.#read(part.child)
        this.#expectEnd(part.child, parts[at + 1])
      }
      await this.#pace.rest()
    }
    return members
  }

  /** In pieces that end between two characters as JSON writes them. */
  async #readString(start: number, end: number): Promise<string> {
    const pieces: string[] = []
    for (let from = start + 1; from < end - 1; ) {
      const until = from + PIECE_LENGTH >= end - 1 ? end - 1 : this.#pieceEnd(from, from + PIECE_LENGTH)
      pieces.push(JSON.parse(`"${this.#text.slice(from, until)}"`) as string)
      from = until
      await this.#pace.rest()
    }
    return pieces.join('')
  }

  /** The end of a piece; an escape has up to six characters and begins at an odd backslash of a row. */
  #pieceEnd(from: number, most: number): number {
    for (let at = most - 1; at >= most - 6; at -= 1) {
      if (this.#text[at] !== '\\') continue
      let backslashes = 1
      while (at - backslashes >= from && this.#text[at - backslashes] === '\\') backslashes += 1
      if (backslashes % 2 === 1) return at
      return Math.max(at + 1, most)
    }
    return most
  }

  #keepTexts(part: JsonPart): void {
    if (part.kind === 'member') {
      const { child } = part
      const wanted = this.#keepsText.find((name) => name === this.#nameOf(part))
      if (wanted === undefined) return
      if (child.kind === 'string') this.texts.delete(wanted)
      else this.texts.set(wanted, new JsonText(this.#text.slice(child.start, child.end)))
      return
    }
    readMemberTexts(`{${this.#slice(part)}}`, this.#keepsText, this.texts)
  }

  #nameOf({ start, child }: Extract<JsonPart, { kind: 'member' }>): string {
    const [name, ...more] = Object.keys(JSON.parse(`{${this.#text.slice(start, child.start)}0}`) as object)
    if (name === undefined || more.length > 0) throw new SyntaxError('a member has no name')
    return name
  }

  #slice({ start, end }: Extract<JsonPart, { kind: 'run' }>): string {
    return this.#text.slice(start, end)
  }

  /** Only white space is allowed between a long member and the comma or bracket after it. */
  #expectEnd(child: LongJson, next: JsonPart | undefined): void {
    if (next) this.expectSpace(child.end, next.start - 1)
    else this.#expectBracket(child.end)
  }

  #expectBracket(from: number): void {
    const rest = /[^ \t\r\n]/g
    rest.lastIndex = from
    const found = rest.exec(this.#text)?.[0]
    if (found !== ']' && found !== '}') throw new SyntaxError('unexpected text after a value')
  }

  /** @throws SyntaxError if there is anything but white space between the two offsets. */
  expectSpace(start: number, end: number): void {
    if (!/^[ \t\r\n]*$/.test(this.#text.slice(start, end)))
      throw new SyntaxError('unexpected text next to a value')
  }
}

/** Only an empty list or object has a run without members; elsewhere a comma is superfluous. */
function expectMembers(count: number, parts: readonly JsonPart[]): void {
  if (count === 0 && parts.length > 1) throw new SyntaxError('a member is missing')
}
