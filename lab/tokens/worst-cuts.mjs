/**
 * The most tokens that a byte-pair tokenizer makes of a piece inside a longer word. Texts have one character
 * per byte.
 *
 * In a word that consists of pieces, some tokens cross from one piece into the next. Each piece counts as the
 * tokens inside it, and half a token for each side from which a token crosses into it. What is between two
 * tokens is encoded the same by itself, and a sequence of tokens is possible if each two neighbours are. So the
 * worst case is the maximum over all ranges of the piece whose rest two possible tokens could take.
 */
export function worstCuts(ranks, pieces) {
  const encode = remember((text) => encodeBytes(ranks, text));
  const isPair = pairChecker(ranks);
  const crossing = indexEnds(ranks, pieces);
  const mayEnter = remember2((taken, next) =>
    crossing.endingWith(taken).some((token) => isPair(token, next)),
  );
  const mayLeave = remember2((last, taken) =>
    crossing.startingWith(taken).some((token) => isPair(last, token)),
  );
  return (piece) => {
    const { length } = piece;
    let worst = encode(piece).length;
    // A tokenizer cuts before white space.
    const lastStart = /^\s/.test(piece) ? 0 : length - 1;
    for (let start = 0; start <= lastStart; start++) {
      for (let end = start + 1; end <= length; end++) {
        const tokens = encode(piece.slice(start, end));
        const count = tokens.length + (start > 0) / 2 + (end < length) / 2;
        if (count <= worst) continue;
        if (start > 0 && !mayEnter(piece.slice(0, start), tokens[0])) continue;
        if (end < length && !mayLeave(tokens.at(-1), piece.slice(end))) continue;
        worst = count;
      }
    }
    return worst;
  };
}

export function encodeBytes(ranks, text) {
  return ranks.has(text) ? [text] : mergeParts(ranks, text, 1);
}

function mergeParts(ranks, text, fewest) {
  const parts = [...text];
  while (parts.length > fewest) {
    let at = -1;
    let best = Number.POSITIVE_INFINITY;
    for (let next = 0; next + 1 < parts.length; next++) {
      const rank = ranks.get(parts[next] + parts[next + 1]) ?? Number.POSITIVE_INFINITY;
      if (rank < best) [best, at] = [rank, next];
    }
    if (at === -1) break;
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
  return parts;
}

/**
 * Whether a tokenizer can make two tokens next to each other. It cannot if, while it builds them, their ends
 * merge earlier than what they become. The two are taken apart from the latest merge to the earliest.
 */
function pairChecker(ranks) {
  const rankOf = (token) => (token.length === 1 ? -1 : ranks.get(token));
  const takeApart = remember((token) => mergeParts(ranks, token, 2));
  return (first, second) => {
    let [left, right] = [first, second];
    for (let limit = Number.POSITIVE_INFINITY; ; ) {
      if ((ranks.get(left + right) ?? limit) < limit) return false;
      const isLeft = rankOf(left) > rankOf(right);
      const later = isLeft ? left : right;
      if (later.length === 1) return true;
      const parts = takeApart(later);
      if (parts.length !== 2) return true;
      limit = rankOf(later) + (isLeft ? 0 : 1);
      if (isLeft) left = parts[1];
      else right = parts[0];
    }
  };
}

/** The tokens that are longer than a beginning or an end of a piece, and end or begin with it. */
function indexEnds(ranks, pieces) {
  const ending = new Map();
  const starting = new Map();
  for (const piece of pieces) {
    for (let at = 1; at < piece.length; at++) {
      ending.set(piece.slice(0, at), []);
      starting.set(piece.slice(at), []);
    }
  }
  for (const token of ranks.keys()) {
    for (let at = 1; at < token.length; at++) {
      ending.get(token.slice(at))?.push(token);
      starting.get(token.slice(0, at))?.push(token);
    }
  }
  return { endingWith: (text) => ending.get(text), startingWith: (text) => starting.get(text) };
}

function remember(compute) {
  const results = new Map();
  return (text) => {
    if (!results.has(text)) results.set(text, compute(text));
    return results.get(text);
  };
}

const remember2 = (compute) => {
  const byFirst = remember((first) => remember((second) => compute(first, second)));
  return (first, second) => byFirst(first)(second);
};
