import { readFile } from 'node:fs/promises'
import { startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import type { ServerProcess } from '../server-process.ts'

/** Linux counts processor time in hundredths of a second (proc(5), `_SC_CLK_TCK`). */
const MICROS_PER_TICK = 10_000

/** Starts `serve inference` as its operator does. @param count its processes */
export async function openProcesses(count: number, environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const service = await startCommand(['serve', 'inference'], {
    ...withoutSettings(),
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_LOG_LEVEL: 'error',
    ...environment,
    TOLLBOOK_PROCESSES: `${count}`,
  })
  const usage = async () => Promise.all((await treeOf(service.pid ?? 0)).map(readUsage))
  return {
    url: service.addresses.inference ?? '',
    readCpu: async () => (await usage()).reduce((sum, { cpuMicros }) => sum + cpuMicros, 0),
    readMemory: async () => (await usage()).reduce((sum, { bytes }) => sum + bytes, 0),
    async close() {
      await service.close()
    },
  }
}

/** A process and all that it started. */
async function treeOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const trees = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(treeOf))
  return [pid, ...trees.flat()]
}

/** proc(5): the 14th and 15th field of `stat` are the time in the process and in the kernel. */
async function readUsage(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return {
    cpuMicros: (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK,
    bytes: Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1_024,
  }
}
