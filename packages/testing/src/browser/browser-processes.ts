import { readdirSync, readFileSync } from 'node:fs'

/** Process ids of the browsers that a process has started. */
export function browsersOf(parent: number): number[] {
  return processes()
    .filter((one) => one.parent === parent && one.command.includes('--remote-debugging-pipe'))
    .map(({ pid }) => pid)
}

/** Process ids of a browser and all its processes. */
export function processesOf(browser: number): number[] {
  return processes()
    .filter(({ group }) => group === browser)
    .map(({ pid }) => pid)
}

function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // proc_pid_stat(5): the name in brackets may hold blanks; after it state, parent, group.
      const [, parent, group] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }]
    } catch {
      // It has ended.
      return []
    }
  })
}
