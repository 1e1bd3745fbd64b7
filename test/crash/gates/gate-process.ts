import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createGate } from '@tollbook/gate'
import { FRAMEWORKS } from '@tollbook/testing/frameworks/servers'
import { Worker, type WorkName } from '@tollbook/testing/frameworks/work'
import type { GateSetting } from './start-gate.ts'

// A server of somebody else with paid routes, which is killed.
const setting = JSON.parse(process.argv[2] ?? '') as GateSetting
const { framework, runsFile, maxWorkMs, ...options } = setting

/** Takes some time for each run, and writes down for which payment it was. */
class KilledWorker extends Worker {
  override async work(name: WorkName, ...words: [string, string, Parameters<Worker['work']>[3]]) {
    appendFileSync(runsFile, `${words[2].id}\n`)
    await delay(Math.random() * maxWorkMs)
    return super.work(name, ...words)
  }
}

const gate = await createGate({ ...options, network: 'base' })
const start = FRAMEWORKS[framework]
if (!start) throw new Error(`there is no framework ${framework}`)
const { url } = await start(gate, new KilledWorker())
process.send?.({ url })
// It ends with its parent, if not by a kill.
process.on('disconnect', () => process.exit())
