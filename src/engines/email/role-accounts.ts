/** Local parts that name a function and no person: RFC 2142, and what is usual beside it. */
const ROLES: ReadonlySet<string> = new Set([
  // RFC 2142 sections 3 to 6
  ...['info', 'marketing', 'sales', 'support', 'abuse', 'noc', 'security', 'postmaster', 'hostmaster'],
  ...['usenet', 'news', 'webmaster', 'www', 'uucp', 'ftp', 'list'],
  ...['accounting', 'accounts', 'admin', 'administrator', 'all', 'billing', 'booking', 'bookings', 'careers'],
  ...['compliance', 'contact', 'customerservice', 'dev', 'devnull', 'dns', 'do-not-reply', 'donotreply'],
  ...['editor', 'enquiries', 'enquiry', 'everyone', 'feedback', 'finance', 'hello', 'help', 'helpdesk', 'hr'],
  ...['inoc', 'inquiries', 'investorrelations', 'invoice', 'invoices', 'ispfeedback', 'ispsupport', 'it'],
  ...[
    'jobs',
    'kontakt',
    'legal',
    'list-request',
    'maildaemon',
    'mailer-daemon',
    'mail',
    'media',
    'newsletter',
  ],
  ...['no-reply', 'noreply', 'null', 'office', 'operations', 'orders', 'payments', 'phish', 'phishing', 'pr'],
  ...['press', 'privacy', 'purchasing', 'recruiting', 'registrar', 'remove', 'reply', 'reservations', 'root'],
  ...['service', 'shop', 'spam', 'staff', 'subscribe', 'sysadmin', 'team', 'tech', 'trouble', 'undisclosed'],
  ...['undisclosed-recipients', 'unsubscribe', 'webadmin', 'welcome', 'welcometo'],
])

/** @param local the local part, without a tag */
export function isRoleAccount(local: string): boolean {
  return ROLES.has(local.toLowerCase())
}
