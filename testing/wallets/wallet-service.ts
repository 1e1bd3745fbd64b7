import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import * as pad from '../../src/utility/endpoints/api/scratchpad/{name}/endpoint.ts'
import * as pads from '../../src/utility/endpoints/api/scratchpad/endpoint.ts'
import * as row from '../../src/utility/endpoints/api/store/{collection}/{id}/endpoint.ts'
import * as collection from '../../src/utility/endpoints/api/store/{collection}/endpoint.ts'
import * as store from '../../src/utility/endpoints/api/store/endpoint.ts'
import * as everything from '../../src/utility/endpoints/api/store/export/endpoint.ts'
import type { State } from '../../src/utility/state/state.ts'
import { openService } from '../catalogue/open-service.ts'
import { utilityPorts } from '../utility/utility-ports.ts'

const MODULES: readonly Record<string, Endpoint>[] = [store, everything, collection, row, pads, pad]

/** Only the endpoints for wallet data: the whole service takes a second to load. */
export function openWalletService(state: State) {
  return openService({
    name: 'utility',
    title: 'Store and scratchpads',
    description: '',
    baseUrl: 'https://test.example',
    endpoints: MODULES.flatMap((module) => Object.values(module)),
    ports: utilityPorts(state),
  })
}
