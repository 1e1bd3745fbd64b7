import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Requests `/healthz` repeatedly until it is stopped, then posts the latency of each answer. */
const { url, from } = workerData as { readonly url: string; readonly from: string }
const EVERY_MS = 10
const agent = new Agent({ keepAlive: true })
const times: number[] = []
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})

while (!isOver) {
  const startedMs = performance.now()
  await new Promise<void>((resolve, reject) => {
    get(`${url}/healthz`, { agent, localAddress: from }, (incoming) => {
      incoming.resume().once('end', resolve).once('error', reject)
    }).once('error', reject)
  })
  times.push(performance.now() - startedMs)
  await wait(EVERY_MS)
}
agent.destroy()
parentPort?.postMessage(times)
