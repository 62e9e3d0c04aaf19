/** `next` resolves with the ack of the message that is sent next: the parent acks messages in their order. */
export interface AckQueue {
  next(): Promise<void>;
  release(): void;
}

export function ackQueue(): AckQueue {
  const waiting: (() => void)[] = [];
  return {
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    release: () => waiting.shift()?.(),
  };
}
