import { TooComplex } from '@tollbook/flow/failure'

/** Where HTML begins again inside SVG or MathML (HTML Standard, 13.2.6.5). */
const INTEGRATION_POINTS = new Set('foreignobject desc title annotation-xml mi mo mn ms mtext'.split(' '))
/** Start tags that end all SVG and MathML around them (HTML Standard, 13.2.6.5). */
const BREAKOUTS = new Set(
  'b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'.split(
    ' ',
  ),
)

/** The elements that are open at a position of a page, outermost first. */
export class OpenElements {
  /** The deepest nesting so far. */
  deepest = 0
  readonly #stack: string[] = []
  readonly #counts = new Map<string, number>()
  /** Depths at which SVG or MathML began, and HTML within it. */
  #changes: { readonly depth: number; readonly isForeign: boolean }[] = []
  readonly #maxDepth: number

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** Whether the position is inside SVG or MathML, where every parser treats a tag that ends in `/>` as complete. */
  get isForeign(): boolean {
    return this.#changes.at(-1)?.isForeign ?? false
  }

  /**
   * Ends what a start tag ends: open parents with one of these names, and foreign content.
   * @param ended names of elements.
   */
  begin(name: string, ended: ReadonlySet<string>): void {
    if (this.isForeign && BREAKOUTS.has(name)) this.#changes = []
    while (ended.has(this.#stack.at(-1) ?? '')) this.#pop()
  }

  /** @throws TooComplex */
  push(name: string): void {
    this.#stack.push(name)
    const depth = this.#stack.length
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    if (name === 'svg' || name === 'math') this.#changes.push({ depth, isForeign: true })
    else if (this.isForeign && INTEGRATION_POINTS.has(name)) this.#changes.push({ depth, isForeign: false })
    this.deepest = Math.max(this.deepest, depth)
    if (depth > this.#maxDepth) {
      throw new TooComplex(`the page is nested deeper than ${this.#maxDepth} elements`)
    }
  }

  /** Ends the innermost element of a name with everything that is open inside it. @returns false if none is open. */
  end(name: string): boolean {
    if (name === 'p' || name === 'br') this.#changes = []
    if ((this.#counts.get(name) ?? 0) === 0) return false
    while (this.#pop() !== name);
    return true
  }

  #pop(): string {
    const name = this.#stack.pop() ?? ''
    this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1)
    const last = this.#changes.at(-1)
    if (last && last.depth > this.#stack.length) this.#changes.pop()
    return name
  }
}
