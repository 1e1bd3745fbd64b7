import { dirname } from 'node:path'

/**
 * What a test file must not do if it shares a process with others: changes of the environment, of the clock, of the
 * resolution of modules and of the process apply to the tests of all files.
 */
const NEEDS_OWN_PROCESS =
  /^process\.|process\.(on|once|chdir|exitCode)\b|process\.env(\.\w+|\[.+\]) = |delete process\.env|mock\.timers|registerHooks|test\.only/m

/** What takes half a minute or longer runs next to the others: the whole product is started, or pages are rendered. */
const TAKES_LONG = /\bstart(Product|RenderingWorld)\(|\bstartCommand\(\['start'\]/

/** More files in one process start faster, but their tests run one after the other. */
const FILES_PER_PROCESS = { package: 24, product: 8 }

/**
 * Divides test files among processes. A process costs 0.1 to 0.7 seconds before its first test, mostly for the modules
 * that neighbouring files share, so files of one package share one. The processes that take longest come first: at the
 * end of the run a long one would leave the other cores idle.
 * @param secondsOf how long the process that starts with a file took before; where this is not known, those of the whole
 *   product come first
 */
export function planProcesses(
  files: readonly string[],
  read: (file: string) => string,
  secondsOf: Readonly<Record<string, number>> = {},
): readonly (readonly string[])[] {
  const sorted = files.toSorted()
  const alone = sorted.filter((file) =>
    [NEEDS_OWN_PROCESS, TAKES_LONG].some((reason) => reason.test(read(file))),
  )
  const shared = sorted.filter((file) => !alone.includes(file))
  const packages = Object.values(Object.groupBy(shared, (file) => dirname(file).split('/', 2).join('/')))
  const groups = packages.flatMap((ofPackage = []) =>
    divide(ofPackage, FILES_PER_PROCESS[isOfProduct(ofPackage[0]) ? 'product' : 'package']),
  )
  const seconds = ([first = '']: readonly string[]) =>
    secondsOf[first] ?? (isOfProduct(first) ? Number.MAX_VALUE : 0)
  return [...alone.map((file) => [file]), ...groups].toSorted((a, b) => seconds(b) - seconds(a))
}

const isOfProduct = (file = '') => file.startsWith('test/')

/** Neighbours take about as long as each other, so they go to different processes. */
function divide(files: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / size)
  return Array.from({ length: count }, (_, index) => files.filter((_, at) => at % count === index))
}
