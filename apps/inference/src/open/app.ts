import type { App } from '@tollbook/runtime/app'
import type { MessagesPorts } from '../ports.ts'

/** The inference service, which stores nothing; what it does is loaded when it is needed. */
export const service: App<unknown> = {
  name: 'inference',
  port: 4023,
  migrations: [],
  preparation: null,
  async prepare() {
    const { openService } = await import('./open-service.ts')
    return { rows: [], open: openService }
  },
  async readFiles(config) {
    const { loadModelsFile } = await import('@tollbook/models/files/open-models')
    await loadModelsFile(config)
  },
  async checks(config) {
    const { listChecks } = await import('./list-checks.ts')
    return listChecks(config)
  },
  async describe(services, config) {
    const { describeInference, offerLocalServers } = await import('./describe-inference.ts')
    const isServed = services.some(({ name }) => name === 'inference')
    return describeInference(services, isServed ? await offerLocalServers(config) : [])
  },
  sweep: () => async () => {},
  async mount(service, ports) {
    if (service !== 'utility') return []
    const { mountMessages } = await import('./mount-messages.ts')
    return mountMessages(ports as MessagesPorts)
  },
}
