import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ALL_RULES } from '@tollbook/a11y/all-rules'
import { checkPage } from '@tollbook/a11y/check-page'
import { createPageModel } from '@tollbook/a11y/page-model'
import { auditAlternatives } from '@tollbook/utility/endpoints/api/seo/alt-check/audit-alternatives'
import { type ActCase, readActCases } from './act-cases.ts'
import { percentileOf, printFigure, type Suite } from './suite.ts'

/**
 * The rules of the catalogue that axe-core 4.14.1 claims to implement: the basis of the published figures.
 */
const COMPARED = new Set(
  `047fe0 09o5cg 0ssw9k 23a2a8 24afc2 2779a5 2eb176 2ee8b8 307n5z 3e12e1 3ea0c8 46ca7f 4b1c6c 4e8ab6 59796f 5b7ae0
   5c01ea 5f99a7 674b10 6a7281 6cfa84 73f2c2 78fd32 7d6734 80f0bf 8fc3b6 97a4e1 9e45ec a25f45 afb423 afw4f7 akn7bn
   b20e66 b33eff b40fd1 b4f0c3 b5c3f8 bc4a75 bc659a bf051a bisz58 c487ae cae760 cf77f2 d0f69e de46e4 e086e5 eac66b
   ff89c9 ffd0e9 m6b1q3 ye5d6e`.split(/\s+/),
)
/** axe-core 4.14.1 in jsdom 29.1.1, counted in the same way. */
const PUBLISHED = { found: { 'axe-core in jsdom': 149 }, alarms: { 'axe-core in jsdom': 2 } } as const
/** Rules about the text alternatives of images. */
const ALT_RULES = new Set(['23a2a8', '59796f', '7d6734', '8fc3b6', '46ca7f'])
/** Further rules about images; cases that depend on what the image shows cannot be found. */
const IMAGE_RULES = new Set(['9eb3f6', 'e88epe', 'qt1vmo'])
const ALT_FOLDERS: Readonly<Record<string, string>> = {
  'image-alt': 'missing_alt',
  'role-img-alt': 'missing_alt',
  'object-alt': 'missing_alt',
  'svg-img-alt': 'svg_unlabeled',
  'area-alt': 'area_missing',
  'input-image-alt': 'input_image_missing',
  'image-redundant-alt': 'redundant_alt',
}

/** Cases of the ACT catalogue, axe-core's own pages about images, and the time that real pages take. */
export const a11y: Suite = {
  name: 'a11y',
  summary: 'ACT cases found and false alarms; alternatives of images; ms a page',
  async run({ folder, every }) {
    const cases = await readActCases(join(folder, 'act-rules.github.io', '_rules'))
    measureCases(cases.filter(({ rule }) => COMPARED.has(rule)))
    measureImages(cases.filter(({ rule }) => IMAGE_RULES.has(rule)))
    await measureAlternatives(join(folder, 'axe-core', 'test', 'integration', 'rules'))
    await measureTimes(join(folder, 'web-content-extraction-benchmark', 'dev', 'html'), every)
  },
}

type Verdict = { readonly one: ActCase; readonly isFound: boolean; readonly isDoubtful: boolean }

function measureCases(cases: readonly ActCase[]): void {
  const verdicts = cases.map((one) => ({ one, ...verdictOn(one) }))
  const failed = verdicts.filter(({ one }) => one.expected === 'failed')
  const others = verdicts.filter(({ one }) => one.expected !== 'failed')
  const print = (figure: string, value: number, of: number, published?: Readonly<Record<string, number>>) =>
    printFigure({ suite: 'a11y', figure, value, of, ...(published && { published }) })
  const count = (list: readonly Verdict[]) => list.filter(({ isFound }) => isFound).length
  print('failed ACT cases found', count(failed), failed.length, PUBLISHED.found)
  print(
    'failed ACT cases left to a person',
    failed.filter((one) => !one.isFound && one.isDoubtful).length,
    failed.length,
  )
  print('false alarms on passed and inapplicable ACT cases', count(others), others.length, PUBLISHED.alarms)
  const ofAlt = (list: readonly Verdict[]) => list.filter(({ one }) => ALT_RULES.has(one.rule))
  print('failed ACT cases about pictures found', count(ofAlt(failed)), ofAlt(failed).length)
  print('false alarms on ACT cases about pictures', count(ofAlt(others)), ofAlt(others).length)
  for (const { one, isFound } of verdicts)
    if (isFound !== (one.expected === 'failed'))
      process.stderr.write(
        `${isFound ? 'false alarm' : 'missed'}: ${one.rule} ${one.expected} ${one.number}\n`,
      )
}

function verdictOn({ rule, html }: ActCase): Pick<Verdict, 'isFound' | 'isDoubtful'> {
  const page = createPageModel({ html, url: 'https://example.com/page.html' })
  const outcomes = ALL_RULES.filter(({ act }) => act.includes(rule)).flatMap((one) => [...one.check(page)])
  return {
    isFound: outcomes.some(({ verdict }) => verdict === 'fail'),
    isDoubtful: outcomes.some(({ verdict }) => verdict === 'review'),
  }
}

function measureImages(cases: readonly ActCase[]): void {
  for (const [rule, group] of Map.groupBy(cases, (one) => one.rule)) {
    const found = (isFailed: boolean) => {
      const some = group.filter(({ expected }) => (expected === 'failed') === isFailed)
      return { value: some.filter((one) => verdictOn(one).isFound).length, of: some.length }
    }
    printFigure({ suite: 'a11y', figure: `failed cases of ${rule} found`, ...found(true) })
    const failed = group.filter(({ expected }) => expected === 'failed').map(verdictOn)
    const left = failed.filter(({ isFound, isDoubtful }) => !isFound && isDoubtful).length
    printFigure({
      suite: 'a11y',
      figure: `failed cases of ${rule} left to a person`,
      value: left,
      of: failed.length,
    })
    printFigure({ suite: 'a11y', figure: `false alarms on other cases of ${rule}`, ...found(false) })
  }
}

async function measureAlternatives(folder: string): Promise<void> {
  let [right, all] = [0, 0]
  for (const [name, type] of Object.entries(ALT_FOLDERS)) {
    const html = await readFile(join(folder, name, `${name}.html`), 'utf8')
    const wanted = JSON.parse(await readFile(join(folder, name, `${name}.json`), 'utf8')) as {
      readonly violations: readonly (readonly string[])[]
    }
    const { findings } = auditAlternatives({ html, url: 'https://example.com/', maxLength: 125 })
    const found = new Set(findings.filter((one) => one.type === type).map(({ selector }) => selector))
    const expected = wanted.violations.map(([selector = '']) => selector)
    const ids = [...html.matchAll(/\bid="((?:violation|pass|fail|inapplicable)\d+)"/g)].map(
      ([, id]) => `#${id}`,
    )
    for (const id of ids) {
      all += 1
      const isRight = found.has(id) === expected.includes(id)
      if (isRight) right += 1
      else process.stderr.write(`${name}: ${id} should ${expected.includes(id) ? '' : 'not '}be found\n`)
    }
  }
  printFigure({
    suite: 'a11y',
    figure: 'elements of axe-core about pictures judged alike',
    value: right,
    of: all,
  })
}

/** Pages without their linked style sheets, which the suite does not contain. */
async function measureTimes(folder: string, every: number): Promise<void> {
  const files = (await readdir(folder)).sort().filter((_, at) => at % (every * 10) === 0)
  const times: number[] = []
  const processorTimes: number[] = []
  for (const file of files) {
    const html = gunzipSync(await readFile(join(folder, file))).toString('utf8')
    const start = performance.now()
    const cpu = process.threadCpuUsage()
    const page = createPageModel({ html, url: 'https://example.com/' })
    checkPage(page, { level: 'AAA', standard: 'wcag22', hasBestPractices: true })
    times.push(performance.now() - start)
    const { user, system } = process.threadCpuUsage(cpu)
    processorTimes.push((user + system) / 1000)
  }
  for (const share of [0.5, 0.95, 0.99]) {
    const figure = `ms a page, p${share * 100}`
    printFigure({ suite: 'a11y', figure, value: percentileOf(times, share), of: times.length })
    // Not affected by other work on the machine.
    const value = percentileOf(processorTimes, share)
    printFigure({ suite: 'a11y', figure: `processor ms a page, p${share * 100}`, value, of: times.length })
  }
}
