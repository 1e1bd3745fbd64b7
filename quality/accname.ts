import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createPageModel, type PageModel } from '@tollbook/a11y/page-model'
import { loadPackage, printFigure, type Suite } from './suite.ts'

const WPT = join('playwright', 'tests', 'assets', 'wpt', 'accname')

/** Names that the web platform tests expect of elements, in their two forms. */
export const accname: Suite = {
  name: 'accname',
  summary: 'accessible names of the web platform tests, next to dom-accessibility-api',
  async run({ folder, isHeldOutWanted }) {
    const peer = loadPeer(folder)
    const sets = [
      { set: 'accname/name', files: await listFiles(join(folder, WPT, 'name'), /\.html$/) },
      { set: 'accname/manual', files: await listFiles(join(folder, WPT, 'manual'), /^name_.*\.html$/) },
    ]
    for (const { set, files } of sets) {
      const dev = await measure(`${set}, dev`, everySecond(files, 0), peer)
      if (!isHeldOutWanted) continue
      const heldOut = await measure(`${set}, held out`, everySecond(files, 1), peer)
      print(`${set}, all`, [...dev, ...heldOut])
    }
  },
}

type Case = {
  readonly title: string
  readonly selector: string
  readonly expected: string
}
type Verdict = {
  readonly isRight: boolean
  /** Undefined if the peer is not installed. */
  readonly isPeerRight: boolean | undefined
}
/** Names of the elements that the selectors find, by the peer. */
type Peer = (html: string, selectors: readonly string[]) => readonly string[]

async function listFiles(folder: string, name: RegExp): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .filter((file) => name.test(file))
    .sort()
    .map((file) => join(folder, file))
}

/** Files in the order of their names; the second of each pair is held out. */
function everySecond(files: readonly string[], rest: 0 | 1): readonly string[] {
  return files.filter((_, at) => at % 2 === rest)
}

async function measure(figure: string, files: readonly string[], peer: Peer | null): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const file of files) {
    const html = await readFile(file, 'utf8')
    const page = createPageModel({ html, url: 'https://example.com/' })
    const cases = readCases(html, page)
    const selectors = cases.map(({ selector }) => selector)
    const others = peer?.(html, selectors)
    for (const [at, { title, selector, expected }] of cases.entries()) {
      const name = nameAt(page, selector)
      const isRight = isSame(name, expected)
      if (!isRight)
        process.stderr.write(
          `${figure}: ${title}: ${JSON.stringify(name)} instead of ${JSON.stringify(expected)}\n`,
        )
      verdicts.push({ isRight, isPeerRight: others && isSame(others[at] ?? '', expected) })
    }
  }
  print(figure, verdicts)
  return verdicts
}

/** The product writes no-break spaces as spaces, so that names can be compared with the text of a page. */
function isSame(name: string, expected: string): boolean {
  return simplify(name) === simplify(expected)
}

function simplify(name: string): string {
  return name.replace(/[\s\u00a0]+/g, ' ').trim()
}

function print(figure: string, verdicts: readonly Verdict[]): void {
  const peer = verdicts.filter(({ isPeerRight }) => isPeerRight).length
  const isMeasured = verdicts.some(({ isPeerRight }) => isPeerRight !== undefined)
  printFigure({
    suite: 'accname',
    figure: `names as expected, ${figure}`,
    value: verdicts.filter(({ isRight }) => isRight).length,
    of: verdicts.length,
    ...(isMeasured && { published: { 'dom-accessibility-api': peer } }),
  })
}

/** The suite writes the expected name into the element (`name`), or into a script as JSON (`manual`). */
function readCases(html: string, page: PageModel): readonly Case[] {
  const json = /new ATTAcomm\(([\s\S]*?)\)\s*;?\s*<\/script>/.exec(html)?.[1]
  if (json === undefined)
    return page.elements.flatMap(({ attribs }) => {
      const { 'data-expectedlabel': expected, 'data-testname': title = '' } = attribs
      return expected === undefined ? [] : [{ title, selector: `[data-testname="${title}"]`, expected }]
    })
  const { title, steps } = JSON.parse(json) as Manual
  return steps.flatMap(({ element, test }) =>
    (test.ATK ?? []).flatMap(([kind, property, verb, expected]) =>
      kind === 'property' && property === 'name' && verb === 'is' && typeof expected === 'string'
        ? [{ title, selector: `#${element}`, expected }]
        : [],
    ),
  )
}

type Manual = {
  readonly title: string
  readonly steps: readonly {
    readonly element: string
    readonly test: { readonly ATK?: readonly (readonly unknown[])[] }
  }[]
}

function nameAt(page: PageModel, selector: string): string {
  const [id, title] = [/^#(.*)$/.exec(selector)?.[1], /^\[data-testname="(.*)"\]$/.exec(selector)?.[1]]
  const found = page.elements.find(({ attribs }) =>
    id === undefined ? attribs['data-testname'] === title : attribs.id === id,
  )
  return found ? page.nameOf(found) : ''
}

/** The most widely used library of JavaScript for names, on jsdom; null if it is not installed. */
function loadPeer(folder: string): Peer | null {
  if (!existsSync(resolve(folder, 'node_modules/dom-accessibility-api'))) return null
  const { computeAccessibleName } = loadPackage<NameLibrary>(folder, 'dom-accessibility-api')
  const { JSDOM, VirtualConsole } = loadPackage<Jsdom>(folder, 'jsdom')
  return (html, selectors) => {
    const { document } = new JSDOM(html, { virtualConsole: new VirtualConsole() }).window
    return selectors.map((selector) => {
      const element = document.querySelector(selector)
      try {
        return element === null ? '' : computeAccessibleName(element)
      } catch {
        // jsdom 29.1.1 cannot compute the style of an element of MathML.
        return 'no name'
      }
    })
  }
}

type NameLibrary = { computeAccessibleName(element: object): string }
type Jsdom = {
  readonly JSDOM: new (
    html: string,
    options: { readonly virtualConsole: object },
  ) => { readonly window: { readonly document: { querySelector(selector: string): object | null } } }
  readonly VirtualConsole: new () => object
}
