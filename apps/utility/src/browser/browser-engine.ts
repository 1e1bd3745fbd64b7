import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'
import { RenderError, type RenderTask, type Resource } from './browser-task.ts'
import { showPage } from './show-page.ts'

// The process of `page-browser.ts`: it shields the service from the volume of browser messages.
serveEngine(async () => ({
  about: null,
  async run(order, { request, emit }) {
    try {
      return await showPage(order as RenderTask, {
        fetch: async (wanted) => (await request(wanted)) as Resource | null,
        onClosed: () => emit('closed'),
      })
    } catch (error) {
      if (error instanceof RenderError) throw new Refusal(error.failure)
      throw error
    }
  },
}))
