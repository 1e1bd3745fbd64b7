/**
 * What a test file must not do if it shares a process with others: hooks at top level apply to the tests of all files,
 * and so do changes of the environment, of the clock and of the process.
 */
const NEEDS_OWN_PROCESS =
  /^(before|after|beforeEach|afterEach)\(|^process\.|process\.(on|once|chdir|exitCode)\b|process\.env(\.\w+|\[.+\]) = |delete process\.env|mock\.timers|test\.only/m

/** More files in one process start faster, but their tests run one after the other. */
const FILES_PER_PROCESS = 16

/**
 * Divides test files among processes. A process costs 0.1 to 0.4 seconds before its first test, mostly for the modules
 * that neighbouring files share, so files of `src` that keep to themselves share one. The long files come first.
 */
export function planProcesses(
  files: readonly string[],
  read: (file: string) => string,
): readonly (readonly string[])[] {
  const sorted = files.toSorted()
  const alone = sorted.filter((file) => file.startsWith('test/') || NEEDS_OWN_PROCESS.test(read(file)))
  const shared = sorted.filter((file) => !alone.includes(file))
  const rooms = Object.values(Object.groupBy(shared, (file) => file.split('/')[1] as string))
  return [
    ...alone.toReversed().map((file) => [file]),
    ...rooms.flatMap((room = []) =>
      Array.from({ length: Math.ceil(room.length / FILES_PER_PROCESS) }, (_, index) =>
        room.slice(index * FILES_PER_PROCESS, (index + 1) * FILES_PER_PROCESS),
      ),
    ),
  ]
}
