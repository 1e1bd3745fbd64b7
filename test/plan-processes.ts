import { dirname } from 'node:path'

/**
 * What a test file must not do if it shares a process with others: changes of the environment, of the clock, of the
 * resolution of modules and of the process apply to the tests of all files.
 */
const NEEDS_OWN_PROCESS =
  /^process\.|process\.(on|once|chdir|exitCode)\b|process\.env(\.\w+|\[.+\]) = |delete process\.env|mock\.timers|registerHooks|test\.only/m

/** More files in one process start faster, but their tests run one after the other. */
const FILES_PER_PROCESS = { package: 24, product: 8 }

/**
 * Divides test files among processes. A process costs 0.1 to 0.7 seconds before its first test, mostly for the modules
 * that neighbouring files share, so files of one package share one. The files of the whole product take longest, and come
 * first.
 */
export function planProcesses(
  files: readonly string[],
  read: (file: string) => string,
): readonly (readonly string[])[] {
  const sorted = files.toSorted()
  const alone = sorted.filter((file) => NEEDS_OWN_PROCESS.test(read(file)))
  const shared = sorted.filter((file) => !alone.includes(file))
  const packages = Object.values(Object.groupBy(shared, (file) => dirname(file).split('/', 2).join('/')))
  const groups = packages.flatMap((ofPackage = []) =>
    divide(ofPackage, FILES_PER_PROCESS[isOfProduct(ofPackage[0]) ? 'product' : 'package']),
  )
  return [...alone.map((file) => [file]), ...groups].toSorted(
    (a, b) => Number(isOfProduct(b[0])) - Number(isOfProduct(a[0])),
  )
}

const isOfProduct = (file = '') => file.startsWith('test/')

function divide(files: readonly string[], size: number): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / size)
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size))
}
