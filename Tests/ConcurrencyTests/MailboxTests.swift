import Concurrency
import Testing

@Suite(.timeLimit(.minutes(10))) struct MailboxTests {
    @Test func valuesComeInOrder() async {
        let mailbox = Mailbox<Int>()
        mailbox.post(1)
        mailbox.post(2)
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == 2)
        let next = Task { await mailbox.next() }
        await Task.yield()
        mailbox.post(3)
        #expect(await next.value == 3)
    }

    @Test func aCancelledTaskStillLearnsIt() async {
        let mailbox = Mailbox<Int>()
        let next = Task { await mailbox.next() }
        next.cancel()
        await Task.yield()
        mailbox.post(1)
        #expect(await next.value == 1)
    }

    @Test func manyTasksPost() async {
        let mailbox = Mailbox<Int>()
        await withTaskGroup(of: Int.self) { group in
            for number in 1...100 {
                group.addTask {
                    mailbox.post(number)
                    return 0
                }
            }
            group.addTask {
                var sum = 0
                for _ in 1...100 { sum += await mailbox.next() }
                return sum
            }
            #expect(await group.reduce(0, +) == 5_050)
        }
    }
}
