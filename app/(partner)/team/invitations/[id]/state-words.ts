/** What an invitation is, and what the invited person can do. */
export const STATE_WORDS = {
  open: { title: 'This invitation is open', advice: '' },
  expired: {
    title: 'This invitation has expired',
    advice: 'Invitations are valid for 7 days. Ask the owner of the team to send it again.',
  },
  withdrawn: {
    title: 'This invitation was withdrawn',
    advice: 'Ask the owner of the team for a new one if you should still join.',
  },
  accepted: {
    title: 'This invitation was already used',
    advice: 'If you no longer belong to the team, ask its owner for a new one.',
  },
} as const;
