import type { JsonMarks } from './json-fault.ts'

/** Parsed in one go: a tenth of a millisecond, ten times that with exact numbers. */
const RUN_LENGTH = 32_768
/** A longer string is parsed in pieces. */
const LONG_STRING = 262_144

/** A part of a long list or object: a run of consecutive short members, or one long member. */
export type JsonPart =
  | { readonly kind: 'run'; readonly start: number; readonly end: number }
  /** From `start` to `child.start` is the name of the member, if it has one. */
  | { readonly kind: 'member'; readonly start: number; readonly child: LongJson }

/** A value whose text is long; `end` is after its last character. */
export type LongJson =
  | { readonly kind: 'string'; readonly start: number; readonly end: number }
  | {
      readonly kind: 'list' | 'object'
      readonly start: number
      readonly end: number
      readonly parts: readonly JsonPart[]
    }

type Open = {
  readonly start: number
  readonly isObject: boolean
  readonly parts: JsonPart[]
  runStart: number
  memberStart: number
  /** The long value of the current member, if it has one. */
  child: LongJson | null
}

/** During a scan, finds where the text can be cut so that each part is parsed in a short time. */
export class JsonPlan implements JsonMarks {
  /** Whether the brackets show that the text is not valid JSON; parsing checks what is inside the parts. */
  isBroken = false
  /** The long value that is the whole text; null if there is none. */
  root: LongJson | null = null
  readonly #open: Open[] = []

  open(at: number, isObject: boolean): void {
    this.#open.push({ start: at, isObject, parts: [], runStart: at + 1, memberStart: at + 1, child: null })
  }

  comma(at: number): void {
    const top = this.#open.at(-1)
    if (!top) this.isBroken = true
    else this.#endMember(top, at, false)
  }

  close(at: number, isObject: boolean): void {
    const top = this.#open.pop()
    if (!top || top.isObject !== isObject) {
      this.isBroken = true
      return
    }
    if (at - top.start < RUN_LENGTH) return
    this.#endMember(top, at, true)
    const { start, parts } = top
    this.#place({ kind: isObject ? 'object' : 'list', start, end: at + 1, parts })
  }

  string(start: number, end: number): void {
    if (end - start > LONG_STRING) this.#place({ kind: 'string', start, end })
  }

  /** Must be called at the end of the text. */
  end(): void {
    if (this.#open.length > 0) this.isBroken = true
  }

  #place(value: LongJson): void {
    const parent = this.#open.at(-1)
    if (!parent) {
      // Two values are not valid JSON.
      if (this.root) this.isBroken = true
      this.root = value
    } else if (parent.child) this.isBroken = true
    else parent.child = value
  }

  #endMember(top: Open, at: number, isLast: boolean): void {
    const { child, memberStart, runStart } = top
    if (child) {
      // Excludes the comma before the member.
      if (memberStart > runStart) top.parts.push({ kind: 'run', start: runStart, end: memberStart - 1 })
      top.parts.push({ kind: 'member', start: memberStart, child })
      top.child = null
      top.runStart = at + 1
    } else if (isLast || at - runStart >= RUN_LENGTH) {
      top.parts.push({ kind: 'run', start: runStart, end: at })
      top.runStart = at + 1
    }
    top.memberStart = at + 1
  }
}
