import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Asks for `/healthz` again and again until it is told to stop, and then posts how long each answer took. */
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
