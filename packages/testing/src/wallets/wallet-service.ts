import type { Endpoint } from '@tollbook/endpoints/endpoint'
import * as pad from '@tollbook/utility/endpoints/api/scratchpad/{name}/endpoint'
import * as pads from '@tollbook/utility/endpoints/api/scratchpad/endpoint'
import * as row from '@tollbook/utility/endpoints/api/store/{collection}/{id}/endpoint'
import * as collection from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'
import * as store from '@tollbook/utility/endpoints/api/store/endpoint'
import * as everything from '@tollbook/utility/endpoints/api/store/export/endpoint'
import type { State } from '@tollbook/utility/state/state'
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
