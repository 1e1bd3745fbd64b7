import { parseArgs } from 'node:util'
import { startProduct } from '../end-to-end/product.ts'
import { checkServices, type Finding, findFindings } from './find-findings.ts'

const HELP = `Checks services as x402scan does when they are registered (@agentcash/discovery): OpenAPI documents, prices,
402 answers, icons. Starts the product on a local chain, or checks the given hosts.

usage: npm run check:discovery [-- <origin>…]

It prints each finding and ends with 1 if there is one.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const options = { help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const found = positionals.length > 0 ? await checkHosts(positionals) : await checkProduct()
  const lines = Object.entries(found).flatMap(([host, findings]) =>
    findings.length === 0
      ? `${host}: nothing found`
      : findings.map(({ severity, code, message }) => `${host}: ${severity} ${code}: ${message}`),
  )
  process.stdout.write(`${lines.join('\n')}\n`)
  return Object.values(found).flat().length === 0 ? 0 : 1
}

async function checkHosts(origins: readonly string[]): Promise<Readonly<Record<string, readonly Finding[]>>> {
  const found = origins.map(async (origin) => [origin, await findFindings(origin)] as const)
  return Object.fromEntries(await Promise.all(found))
}

async function checkProduct(): Promise<Readonly<Record<string, readonly Finding[]>>> {
  const product = await startProduct()
  try {
    return await checkServices(product.addresses)
  } finally {
    await product.close()
  }
}
