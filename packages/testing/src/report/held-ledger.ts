import { serveReader } from '@tollbook/report/ledger/duckdb/reader-server'
import { openLedger } from '@tollbook/report/ledger/ledger'

// Holds the ledger in a folder, and serves its rows to other processes.
const [folder = '', chain = ''] = process.argv.slice(2)
const ledger = await openLedger(`duckdb:${folder}`, `0x${chain}`)
await serveReader(folder, ledger.rows)
process.stdout.write('open\n')
setInterval(() => {}, 1_000)
