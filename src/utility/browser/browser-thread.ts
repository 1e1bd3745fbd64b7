import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import {
  RenderError,
  type RenderReply,
  type RenderTask,
  type Resource,
  type ResourceReply,
} from './browser-task.ts'
import { showPage } from './show-page.ts'

// The thread of one page, started by `page-browser.ts`: it shields the service from the volume of browser messages.
if (parentPort) await work(parentPort, workerData as RenderTask)

async function work(port: MessagePort, task: RenderTask): Promise<void> {
  const waiting = new Map<number, (resource: Resource | null) => void>()
  let lastId = 0
  const send = (reply: RenderReply) => port.postMessage(reply)
  port.on('message', ({ id, resource }: ResourceReply) => {
    waiting.get(id)?.(resource)
    waiting.delete(id)
  })
  try {
    const rendered = await showPage(task, (request) => {
      lastId += 1
      const id = lastId
      send({ fetch: { ...request, id } })
      return new Promise((resolve) => waiting.set(id, resolve))
    })
    send({ rendered })
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    send({ failure: error.failure })
  }
}
