import type { App } from '@tollbook/runtime/app'
import * as migrations from '../state/migrations.ts'
import type { State } from '../state/state.ts'

/** The social service; what it does is loaded when it is needed. */
export const service: App<State> = {
  name: 'social',
  port: 4021,
  migrations: Object.values(migrations),
  preparation: null,
  async prepare() {
    const { openService } = await import('./open-service.ts')
    return { rows: [], open: openService }
  },
  async readFiles() {},
  async checks(config) {
    const { checkSocial } = await import('./check-social.ts')
    return [['social', () => checkSocial(config)]]
  },
  async describe() {
    return []
  },
  sweep: (state) => async (now) => {
    const { sweepSessions } = await import('../session/session-store.ts')
    const { sweepImages } = await import('../image/image-store.ts')
    await sweepSessions(state, now)
    await sweepImages(state, now)
  },
  async seed(state, config) {
    const { isStoreAlone } = await import('./social-provider.ts')
    const { seedSample } = await import('../source/store/seed-sample.ts')
    if (isStoreAlone(config)) await seedSample(state, new Date())
  },
}
