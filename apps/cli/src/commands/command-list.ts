import type { CommandEntry } from './command.ts'

/** All commands. Each is loaded only when it is called, so that a small one starts quickly and needs only its own packages. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  start: {
    summary: 'Start everything: chain, paid services, indexer, report service.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./start.ts')).start,
  },
  serve: {
    summary: 'Serve one service; several processes may serve the same service on one PostgreSQL.',
    load: async () => (await import('./serve.ts')).serve,
  },
  index: {
    summary: 'Read the chain into the ledger and publish reports; serves evidence to the report service.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./index.ts')).index,
  },
  publish: {
    summary: 'Publish the rolling window and every completed week; a published week stays as it is.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./publish.ts')).publish,
  },
  export: {
    summary: 'Write payments of the ledger to a file, as Parquet or CSV.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./export.ts')).export_,
  },
  import: {
    summary: 'Add exported payments, pages for /api/search, or social data.',
    load: async () => (await import('./import.ts')).import_,
  },
  migrate: {
    summary: 'Apply pending migrations of the state, as every start does.',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  backup: {
    summary: 'Copy a consistent snapshot of the state to a folder while everything runs.',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    summary: 'Restore a backup into an empty data folder, or check a backup or a restored state.',
    load: async () => (await import('./restore.ts')).restore,
  },
  check: {
    summary:
      'Check the settings and the upstreams they name, for all parts or for those that run here; changes nothing.',
    load: async () => (await import('./check.ts')).check,
  },
  call: {
    summary: 'Call a paid endpoint: shows the price, asks for confirmation, pays in USDC, prints the answer.',
    needs: ['@tollbook/pay'],
    load: async () => (await import('./call.ts')).call,
  },
  mcp: {
    summary:
      'Serve MCP over standard input and output: an agent finds paid calls and buys them within a budget.',
    needs: ['@tollbook/pay'],
    load: async () => (await import('./mcp.ts')).mcp,
  },
  proxy: {
    summary: 'Serve a local address that pays a service, within a budget, for programs that cannot pay.',
    needs: ['@tollbook/pay'],
    load: async () => (await import('./proxy.ts')).proxy,
  },
  list: {
    summary: 'Have a facilitator settle one payment for each endpoint, so that its catalogue lists them.',
    needs: ['@tollbook/pay', '@tollbook/report'],
    load: async () => (await import('./list.ts')).list,
  },
  'prove-ownership': {
    summary: 'Print what each payee wallet signs to prove that a service is its own, or sign it.',
    load: async () => (await import('./prove-ownership.ts')).proveOwnership,
  },
  session: {
    summary: 'Create a session of a stored user of the social API, or end all of them.',
    needs: ['@tollbook/social'],
    load: async () => (await import('./session.ts')).session,
  },
  models: {
    summary: 'List, download or remove models of language, speech and translation that run on this machine.',
    needs: ['@tollbook/models'],
    load: async () => (await import('./models.ts')).models,
  },
  disputes: {
    summary: 'Read and close the notes that people sent about reports.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./disputes.ts')).disputes,
  },
  facilitators: {
    summary: 'Show the known facilitators, and refresh them from their services.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./facilitators.ts')).facilitators,
  },
  report: {
    summary: 'Print the report of a merchant, computed from the chain without a server.',
    needs: ['@tollbook/report'],
    load: async () => (await import('./report.ts')).report,
  },
  verify: {
    summary: 'Recompute a published report from the chain and compare it field by field.',
    needs: ['@tollbook/verify'],
    load: async () => (await import('./verify.ts')).verify,
  },
}
